// Reads and writes the trailers of commit messages, in the last paragraph only.
import { checkpointIdPattern } from '../model/checkpoint.ts'

export const checkpointTrailer = 'Entire-Checkpoint'

const trailerLine = /^([A-Za-z0-9][A-Za-z0-9-]*)[ \t]*:[ \t]*(.*)$/
// Git puts this line among trailers. https://git-scm.com/docs/git-interpret-trailers
const cherryPickLine = /^\(cherry picked from commit [0-9a-f]+\)$/

/** The values of a trailer, in order, without repetition. */
export function readTrailer(message: string, key: string, comment = '#'): string[] {
  const lines = lastParagraph(message, comment)
  const values = lines.flatMap((line, at) => {
    const match = trailerLine.exec(line)
    if (match?.[1]?.toLowerCase() !== key.toLowerCase()) return []
    const next = lines[at + 1] ?? ''
    // A long value may start on the next line.
    return [(match[2] as string).trim() || (trailerLine.test(next) ? '' : next.trim())]
  })
  return [...new Set(values)]
}

/** The checkpoint ids a commit is linked to. A subject line that looks like a trailer is not one. */
export function readCheckpointIds(message: string, comment = '#'): string[] {
  // A quick test: most commits of a long history have no such trailer.
  if (!/entire-checkpoint/i.test(message)) return []
  const ids = readTrailer(message, checkpointTrailer, comment).map((value) => value.split(/\s/)[0] as string)
  return [...new Set(ids)].filter((id) => checkpointIdPattern.test(id))
}

/** Adds a trailer to a message in git's editor file; comment lines stay at the end. */
export function appendTrailer(message: string, key: string, value: string, comment = '#'): string {
  return appendBlock(message, [`${key}: ${value}`], comment)
}

/**
 * The same for a message that is still to be edited, with comments that explain how to remove the trailer.
 */
export function appendEditableTrailer(
  message: string,
  id: string,
  about: { agent: string; prompt: string },
  comment = '#',
): string {
  const block = [
    `${checkpointTrailer}: ${id}`,
    `${comment} Remove the ${checkpointTrailer} trailer above if you don't want to link this commit to ${about.agent} session context.`,
    ...(about.prompt === '' ? [] : [`${comment} Last Prompt: ${about.prompt}`]),
    `${comment} The trailer will be added to your next commit based on this branch.`,
  ]
  return appendBlock(message, block, comment)
}

function appendBlock(message: string, block: string[], comment: string): string {
  const { text, comments } = splitComments(message, comment)
  const eol = message.includes('\r\n') ? '\r\n' : '\n'
  const trimmed = text.trimEnd()
  const separator = trimmed !== '' && isTrailerParagraph(trimmed, comment) ? eol : eol + eol
  return `${trimmed}${separator}${block.join(eol)}${eol}${comments === '' ? '' : `${eol}${comments}`}`
}

/** What the user wrote: the message without comments and without the checkpoint trailer. */
export function userText(message: string, comment = '#'): string {
  return linesOf(splitComments(message, comment).text)
    .filter(
      (line) =>
        !isComment(line, comment) &&
        trailerLine.exec(line)?.[1]?.toLowerCase() !== checkpointTrailer.toLowerCase(),
    )
    .join('\n')
    .trim()
}

export function removeTrailer(message: string, key: string): string {
  return message
    .split('\n')
    .filter((line) => trailerLine.exec(line.replace(/\r$/, ''))?.[1]?.toLowerCase() !== key.toLowerCase())
    .join('\n')
}

// Git writes a space, a tab or nothing after the comment mark. A line that starts with `#123` is the user's,
// and `git commit -m` keeps it.
function isComment(line: string, comment: string): boolean {
  return line.startsWith(comment) && /^(?:[ \t\r]|$)/.test(line.slice(comment.length))
}

// Git's own comments come last; a scissors line starts a diff that must not be mistaken for the message.
function splitComments(message: string, comment: string): { text: string; comments: string } {
  const lines = message.split('\n')
  const scissors = lines.findIndex(
    (line) => isComment(line, comment) && /^ -+ >8 -+\r?$/.test(line.slice(comment.length)),
  )
  let first = scissors === -1 ? lines.length : scissors
  while (first > 0 && (isComment(lines[first - 1] as string, comment) || lines[first - 1]?.trim() === ''))
    first -= 1
  while (first < lines.length && lines[first]?.trim() === '') first += 1
  return { text: lines.slice(0, first).join('\n'), comments: lines.slice(first).join('\n') }
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.replace(/\r$/, ''))
}

/** Leaves out the first line of the message, which is always the subject. */
function lastParagraph(message: string, comment: string): string[] {
  const lines = linesOf(splitComments(message, comment).text).filter((line) => !isComment(line, comment))
  while (lines.at(-1)?.trim() === '') lines.pop()
  return lines.slice(Math.max(1, lines.findLastIndex((line) => line.trim() === '') + 1))
}

function isTrailerParagraph(text: string, comment: string): boolean {
  // Git drops empty lines at the start, so the subject may follow them.
  const message = text.trimStart()
  const hasBody = linesOf(message).some((line) => line.trim() === '')
  const isTrailer = (line: string) =>
    trailerLine.test(line) || cherryPickLine.test(line) || /^[ \t]/.test(line)
  return hasBody && lastParagraph(message, comment).every(isTrailer)
}
