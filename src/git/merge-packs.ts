// Merges the small packs that saves leave into larger ones. Loose objects are left alone, unlike by `git
// repack -d`, which removes their directories: a `git add` at that moment can fail.

import { join } from 'node:path'
import type { Repo } from './repo.ts'

// Merges all packs up to the largest one that is at most twice the size of those before it together, so that
// each object is copied only a few times. Packs with a marker file beside them (kept, promised, unreachable)
// and repositories with a multi-pack index are left alone. Old packs are removed only when the new one is
// complete. https://git-scm.com/docs/git-pack-objects#Documentation/git-pack-objects.txt---stdin-packs
const script = `
cd "$1" || exit
[ ! -e multi-pack-index ] || exit 0
sum=0 smaller= packs=
for pack in $(ls -Sr | grep '^pack-[0-9a-f]*[.]pack$'); do
  base=\${pack%.pack}
  [ -e "$base.idx" ] || continue
  for mark in keep promisor bitmap mtimes; do [ ! -e "$base.$mark" ] || continue 2; done
  size=$(wc -c <"$pack")
  smaller="$smaller $base"
  [ "$size" -gt $((sum * 2)) ] || packs=$smaller
  sum=$((sum + size))
done
[ -n "$packs" ] || exit 0
new=$(for base in $packs; do echo "$base.pack"; done | git pack-objects --stdin-packs --quiet ./pack) || exit
[ -e "pack-$new.pack" ] && [ -e "pack-$new.idx" ] || exit
for base in $packs; do
  # A repack may have removed the new one already, and kept an old one instead.
  [ -e "pack-$new.pack" ] || exit
  [ "$base" = "pack-$new" ] || rm -f "$base.idx" "$base.pack" "$base.rev"
done
`

/** The command to run. It may take long and is safe to kill at any point. */
export function mergePacksCommand(repo: Pick<Repo, 'commonDir'>): string[] {
  return ['sh', '-c', script, 'sh', join(repo.commonDir, 'objects', 'pack')]
}
