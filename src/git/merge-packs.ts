// Every save is a small pack; many of them are merged into one now and then. Loose objects are the user's and are left alone: `git repack -d`
// removes them and their directories, and a `git add` that runs at that moment can fail.

import { join } from 'node:path'
import type { Repo } from './repo.ts'

// All up to the largest pack that is not much larger than those before it together: so every object is copied only a few times, however
// many packs there will be. Packs that say something by a file beside them (kept, promised, unreachable) are left alone; so is
// a repository whose owner keeps an index over all packs. Old packs go only when the new one is complete.
// https://git-scm.com/docs/git-pack-objects#Documentation/git-pack-objects.txt---stdin-packs
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
  [ "$base" = "pack-$new" ] || rm -f "$base.idx" "$base.pack" "$base.rev"
done
`

/** What to run; it takes its time, and is safe to kill at any point. */
export function mergePacksCommand(repo: Pick<Repo, 'commonDir'>): string[] {
  return ['sh', '-c', script, 'sh', join(repo.commonDir, 'objects', 'pack')]
}
