// Personal data, only on request: addresses people are reached at.
import type { Pattern } from './pattern.ts'

/** Addresses nobody reads: they name machines, and git trailers are full of them. */
const publicAddress = /^(?:noreply|no-reply|actions)@|@(?:users\.)?noreply\.github\.com$|^git@|@example\.(?:com|org|net)$/i

export const email: Pattern = {
  label: 'EMAIL',
  regex: /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])/g,
  allow: (address) => publicAddress.test(address),
}

/** International, or grouped as people write them; dates, versions, IP addresses and plain numbers are not. */
export const phone: Pattern = {
  label: 'PHONE',
  regex:
    /(?<![\w.+-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)|\d{1,4})(?:[ .-]?\d{2,4}){2,4}|(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4})(?![\w-]|\.\d)/g,
}
