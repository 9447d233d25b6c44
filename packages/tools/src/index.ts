export { builtinTools, createBuiltinTools, type BuiltinToolName } from './builtin-tools.ts';
export { bash, type BashInput } from './bash.ts';
export type { BashOutput } from './bash/run-bash.ts';
export { edit, type EditInput } from './edit.ts';
export { read, type ReadInput } from './read.ts';
export { write, type WriteInput } from './write.ts';
