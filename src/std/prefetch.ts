// Starts work before its result is needed. The rejection surfaces where the promise is awaited, and only
// there.

export function prefetch<T>(started: Promise<T>): Promise<T> {
  started.catch(() => {})
  return started
}
