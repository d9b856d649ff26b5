// Makes the files of a new extension for `piglet ext new`, which works as it is and marks what to change.

import { version } from '../../std/version.ts'
import pythonMain from './extension/python/main.txt' with { type: 'text' }
import pythonManifest from './extension/python/manifest.txt' with { type: 'text' }
import pythonReadme from './extension/python/readme.txt' with { type: 'text' }
import pythonTest from './extension/python/test.txt' with { type: 'text' }
import shMain from './extension/sh/main.txt' with { type: 'text' }
import shManifest from './extension/sh/manifest.txt' with { type: 'text' }
import shReadme from './extension/sh/readme.txt' with { type: 'text' }
import shTest from './extension/sh/test.txt' with { type: 'text' }
import tsExtension from './extension/ts/extension.txt' with { type: 'text' }
import tsMain from './extension/ts/main.txt' with { type: 'text' }
import tsManifest from './extension/ts/manifest.txt' with { type: 'text' }
import tsPackage from './extension/ts/package.txt' with { type: 'text' }
import tsReadme from './extension/ts/readme.txt' with { type: 'text' }
import tsTest from './extension/ts/test.txt' with { type: 'text' }
import {
  displayName,
  fillTemplates,
  requireName,
  type ScaffoldFile,
  type ScaffoldLanguage,
  type Template,
} from './template.ts'
import tsConfig from './tsconfig.txt' with { type: 'text' }

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

/** `sdk`: the version of the kit that a TypeScript extension depends on, or its path (`file:…`). */
export function scaffoldExtension(
  name: string,
  language: ScaffoldLanguage,
  options: { sdk?: string } = {},
): ScaffoldFile[] {
  requireName(name, 'extension')
  const values = {
    name,
    tool: name.replace(/-/g, '_'),
    title: displayName(name),
    sdk: options.sdk ?? `^${version}`,
  }
  return fillTemplates(templates[language], values)
}
