// Makes random ids; the source is an argument, so that tests can fix it.

export type RandomHex = (bytes: number) => string

export const systemRandom: RandomHex = (bytes) => {
  const buffer = crypto.getRandomValues(new Uint8Array(bytes))
  return Buffer.from(buffer).toString('hex')
}
