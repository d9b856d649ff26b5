// New checkpoint ids: twelve hex digits on the shared branch, ULIDs where every checkpoint has a ref of its own.
import type { Recorder } from './work.ts'

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export function newCheckpointId({ settings, random, clock }: Pick<Recorder, 'settings' | 'random' | 'clock'>): string {
  return settings.checkpointsBackend === 'git-refs' ? ulid(clock().getTime(), random(10)) : random(6)
}

// 48 bits of time and 80 random bits, five bits a character.
function ulid(time: number, randomHex: string): string {
  let value = (BigInt(time) << 80n) | BigInt(`0x${randomHex}`)
  let text = ''
  for (let digit = 0; digit < 26; digit += 1) {
    text = crockford.charAt(Number(value & 31n)) + text
    value >>= 5n
  }
  return text
}
