// Ctrl-C between two files would leave half of a rewind. It takes an instant: the key is heard, and changes nothing.
export async function uninterrupted<T>(act: () => Promise<T>): Promise<T> {
  const ignore = () => {}
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, ignore)
  try {
    return await act()
  } finally {
    for (const signal of signals) process.off(signal, ignore)
  }
}
