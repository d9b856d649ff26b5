// `piglet ext trust`: what extensions may have that only the user can give, and whether extensions of this project run.

import { buildCommand } from '@stricli/core'
import { createTrust, trustedAs } from '../../piglet/settings/trust.ts'
import { EntireError } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { findExtension, findPigletPlaces } from './places.ts'

interface TrustFlags {
  project?: boolean
  revoke?: boolean
  json?: boolean
}

/** All keys of providers: what an extension that declares nothing is asked about. */
const usual = ['auth']

export const extTrustCommand = buildCommand<TrustFlags, string[], Cli>({
  func(flags, name, ...what) {
    const places = findPigletPlaces(this)
    const trust = createTrust(places.configDir)
    if (flags.project) {
      if (name !== undefined) throw new EntireError('bad-usage', 'Name an extension, or use --project.')
      if (flags.revoke) trust.distrustProject(this.cwd)
      else trust.trustProject(this.cwd)
      if (flags.json)
        return void this.process.stdout.write(formatJson({ project: this.cwd, trusted: !flags.revoke }))
      return this.out(
        `Extensions in ${clean(places.ofProject)} ${flags.revoke ? 'do not run any more' : 'run from now on'}.`,
      )
    }
    if (name === undefined) throw new EntireError('bad-usage', 'Name an extension, or use --project.')
    const extension = trustedAs(places.configDir, findExtension(this, places, name))
    const wrong = what.filter((grant) => !/^(?:auth|env)(?::\S+)?$|^env:\S+$/.test(grant))
    if (wrong.length > 0)
      throw new EntireError('bad-usage', `${wrong.map(clean).join(', ')} cannot be granted.`, {
        hint: 'Write auth:<provider>, env:<variable> or auth.',
      })
    if (flags.revoke) trust.revoke(extension)
    else trust.grant(extension, what.length > 0 ? what : usual)
    const grants = trust.grants(extension)
    if (flags.json) return void this.process.stdout.write(formatJson({ extension, grants }))
    this.out(
      grants.length > 0
        ? `${clean(extension)} may have: ${grants.map(clean).join(', ')}.`
        : `${clean(extension)} may have nothing of that kind.`,
    )
  },
  parameters: {
    flags: {
      project: switchFlag('Let the extensions of this project run'),
      revoke: switchFlag('Take back what was granted'),
      json: switchFlag('Print JSON'),
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'Name of the extension, then what it may have',
        parse: String,
        placeholder: 'name',
      },
    },
  },
  docs: {
    brief: 'Grant an extension keys and variables, or trust a project',
    fullDescription: formatManual({
      text: [
        'Extensions that list permissions in their manifest get those. Others get keys of providers and variables with secrets only when',
        'you grant them here: `auth` stands for all keys, `auth:openai` for one, `env:GITHUB_TOKEN` for a variable. Without a list, all',
        'keys are granted. It is kept in <config>/trust.json.',
      ],
      examples: [
        ['piglet ext trust writer auth:openai', 'one key'],
        ['piglet ext trust notes env:GITHUB_TOKEN', 'one variable'],
        ['piglet ext trust writer --revoke', 'nothing any more'],
        ['piglet ext trust --project', 'run the extensions that this project brings along'],
      ],
    }),
  },
})
