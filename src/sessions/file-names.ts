// Names of files in the git directory of a work tree, for those who look before the file system of the runtime is loaded, too.

export const liveName = 'entire-live.json'
export const pendingName = 'entire-pending.json'
