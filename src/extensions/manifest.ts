// What an extension says of itself in its manifest.yaml.

export interface Manifest {
  name: string
  version: string
  runtime: string
  /** The file to run; empty for programs that are run as they are. */
  entry: string
  /** Where the extension lies. */
  dir: string
  /** Undefined for extensions that never heard of permissions: they may do what they always could. */
  permissions: string[] | undefined
  /** How it wants to be talked to; undefined: both ways are offered, and it chooses. */
  transport: 'stdio' | 'fd' | undefined
  /** Further files and directories that make it start anew when they change. */
  watch: string[]
}
