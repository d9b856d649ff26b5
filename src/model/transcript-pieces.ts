// Transcripts are stored in pieces. Some agents alone know how theirs are cut.
/** Undefined: it could not be done, and somebody was told why where that matters. */
export interface TranscriptPieces {
  /** Pieces that `join` makes the same bytes of. */
  cut(whole: Buffer, maxBytes: number): Promise<Buffer[] | undefined>
  /** For pieces that do not simply join; `isWhole` knows what was cut. */
  join(pieces: Buffer[], isWhole: (bytes: Buffer) => boolean): Promise<Buffer | undefined>
}
