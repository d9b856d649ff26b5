// Names the type of the environment variables of a process. A variable that is not set is undefined.

export type Environment = Record<string, string | undefined>
