// Defines `piglet ext trust`, which grants keys and variables, or lets a project's extensions run.

import { buildCommand } from '@stricli/core'
import { Trust, trustedAs } from '../../piglet/settings/trust.ts'
import { cannotCombine, EntireError, invalidValue, useOneOf } from '../../std/errors.ts'
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

/** All keys of providers. */
const defaultGrants = ['auth']

export const extTrustCommand = buildCommand<TrustFlags, string[], Cli>({
  func(flags, name, ...grants) {
    const places = findPigletPlaces(this)
    const trust = new Trust(places.configDir)
    if (flags.project) {
      if (name !== undefined) throw cannotCombine(['the name of an extension', '--project'])
      if (flags.revoke) trust.distrustProject(this.cwd)
      else trust.trustProject(this.cwd)
      if (flags.json)
        return void this.process.stdout.write(formatJson({ project: this.cwd, trusted: !flags.revoke }))
      return this.out(
        `Extensions in ${clean(places.ofProject)} ${flags.revoke ? 'no longer run' : 'run from now on'}.`,
      )
    }
    if (name === undefined) throw new EntireError('bad-usage', 'Name an extension, or use --project.')
    const extension = trustedAs(places.configDir, findExtension(this, places, name))
    const invalid = grants.find((grant) => !/^(?:auth|env)(?::\S+)?$|^env:\S+$/.test(grant))
    if (invalid !== undefined)
      throw invalidValue(clean(invalid), 'a grant', useOneOf(['auth', 'auth:<provider>', 'env:<variable>']))
    if (flags.revoke) trust.revoke(extension)
    else trust.grant(extension, grants.length > 0 ? grants : defaultGrants)
    const granted = trust.grants(extension)
    if (flags.json) return void this.process.stdout.write(formatJson({ extension, grants: granted }))
    this.out(
      granted.length > 0
        ? `${clean(extension)} has: ${granted.map(clean).join(', ')}.`
        : `${clean(extension)} has no grants.`,
    )
  },
  parameters: {
    flags: {
      project: switchFlag('Let the extensions of this project run'),
      revoke: switchFlag('Revoke all grants'),
      json: switchFlag('Print JSON'),
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'Name of the extension, then the grants',
        parse: String,
        placeholder: 'name',
      },
    },
  },
  docs: {
    brief: 'Grant an extension keys and variables, or trust a project',
    fullDescription: formatManual({
      text: [
        'Extensions that list permissions in their manifest get those. Others get keys of providers and variables with secrets only if you',
        'grant them here: `auth` grants all keys, `auth:openai` one key, `env:GITHUB_TOKEN` a variable. Without a list, grants all keys.',
        'Grants are stored in <config>/trust.json.',
      ],
      examples: [
        ['piglet ext trust writer auth:openai', 'one key'],
        ['piglet ext trust notes env:GITHUB_TOKEN', 'one variable'],
        ['piglet ext trust writer --revoke', 'revoke all grants'],
        ['piglet ext trust --project', 'run the extensions of this project'],
      ],
    }),
  },
})
