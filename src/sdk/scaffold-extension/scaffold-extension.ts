// The files of a new extension, for `piglet ext new`: they work as they are, and say where the author's own
// goes.

import { EntireError } from '../../std/errors.ts'
import { version } from '../../std/version.ts'
import {
  displayName,
  fillTemplates,
  isPlainName,
  type ScaffoldFile,
  type ScaffoldLanguage,
  type Template,
} from '../scaffold/template.ts'
import pythonMain from './python/main.txt' with { type: 'text' }
import pythonManifest from './python/manifest.txt' with { type: 'text' }
import pythonReadme from './python/readme.txt' with { type: 'text' }
import pythonTest from './python/test.txt' with { type: 'text' }
import shMain from './sh/main.txt' with { type: 'text' }
import shManifest from './sh/manifest.txt' with { type: 'text' }
import shReadme from './sh/readme.txt' with { type: 'text' }
import shTest from './sh/test.txt' with { type: 'text' }
import tsExtension from './ts/extension.txt' with { type: 'text' }
import tsMain from './ts/main.txt' with { type: 'text' }
import tsManifest from './ts/manifest.txt' with { type: 'text' }
import tsPackage from './ts/package.txt' with { type: 'text' }
import tsReadme from './ts/readme.txt' with { type: 'text' }
import tsTest from './ts/test.txt' with { type: 'text' }
import tsConfig from './ts/tsconfig.txt' with { type: 'text' }

const templates: Record<ScaffoldLanguage, Template[]> = {
  ts: [
    ['manifest.yaml', tsManifest],
    ['src/extension.mts', tsExtension],
    ['src/main.mts', tsMain],
    ['test/extension.test.mjs', tsTest],
    ['package.json', tsPackage],
    ['tsconfig.json', tsConfig],
    ['README.md', tsReadme],
    ['.gitignore', 'node_modules/\ndist/\n'],
  ],
  python: [
    ['manifest.yaml', pythonManifest],
    ['main.py', pythonMain],
    ['test_extension.py', pythonTest],
    ['README.md', pythonReadme],
    ['.gitignore', '__pycache__/\n'],
  ],
  sh: [
    ['manifest.yaml', shManifest],
    ['{{name}}.sh', shMain, 'executable'],
    ['test.sh', shTest, 'executable'],
    ['README.md', shReadme],
  ],
}

/** `sdk`: which version of the kit a TypeScript extension depends on, or where it is (`file:…`). */
export function scaffoldExtension(
  name: string,
  language: ScaffoldLanguage,
  options: { sdk?: string } = {},
): ScaffoldFile[] {
  if (!isPlainName(name)) {
    throw new EntireError('bad-usage', `"${name}" cannot be the name of an extension.`, {
      hint: 'Use small letters, digits and single hyphens, and begin with a letter: my-extension.',
    })
  }
  const values = {
    name,
    tool: name.replace(/-/g, '_'),
    title: displayName(name),
    sdk: options.sdk ?? `^${version}`,
  }
  return fillTemplates(templates[language], values)
}
