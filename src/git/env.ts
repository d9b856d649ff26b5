// Builds the environment git runs in: the user's, without the variables that belong to another git command.

import type { Environment } from '../std/environment.ts'

// These point git at a repository, an index or an identity. Inside a hook they belong to the command that
// runs the hook.
const inherited = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_CONFIG',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_REPLACE_REF_BASE',
  'GIT_ATTR_SOURCE',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_QUARANTINE_PATH',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_AUTHOR_DATE',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
  'GIT_COMMITTER_DATE',
  'GIT_EXTERNAL_DIFF',
  'GIT_LITERAL_PATHSPECS',
  'GIT_GLOB_PATHSPECS',
  'GIT_NOGLOB_PATHSPECS',
  'GIT_ICASE_PATHSPECS',
] as const

export function gitEnv(env: Environment): Environment {
  // GIT_FLUSH=0: log and rev-list write large blocks instead of single commits.
  // GIT_OPTIONAL_LOCKS=0: status must not write the user's index.
  // https://git-scm.com/docs/git#Documentation/git.txt-GITOPTIONALLOCKS
  const clean: Environment = {
    ...env,
    GIT_FLUSH: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  }
  for (const name of inherited) delete clean[name]
  return clean
}
