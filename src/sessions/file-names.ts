// Names the files in a work tree's git directory that hooks look at before the runtime's file system is
// loaded.

export const liveName = 'entire-live.json'
export const pendingName = 'entire-pending.json'
