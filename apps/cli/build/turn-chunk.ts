import { resolve } from 'node:path';

interface ModuleGraph {
  getModuleInfo(moduleId: string): { readonly importedIds: readonly string[] } | null;
}

const repository = resolve(import.meta.dirname, '..', '..', '..');

/** The command's entry runs the command by being loaded, so it is nowhere that others load. */
const entry = resolve(repository, 'apps/cli/src/main.ts');

/** What every turn loads by a dynamic import on its way to the first model request. */
const loadedByEveryTurn = [
  'packages/tools/src/index.ts',
  'packages/sandbox/src/index.ts',
  'packages/providers/src/index.ts',
  'packages/providers/src/anthropic/anthropic-model-from-environment.ts',
].map((path) => resolve(repository, path));

/** Of the protocol what needs no schema: its root entry builds them all, and the bundler drops what is not used of it. */
const schemas =
  /\/packages\/protocol\/src\/(?!values\.ts|error\/|cursor\/|channel\/|callback\/answer-misfit|schema\/|query\/derive|json\/canonical|content\/(?:image|encode|data))/;

/** What the packages' entries name and no turn runs: the ways of `rondo replay` and of `rondo sessions verify` and `salvage`. */
const otherCommands =
  /\/packages\/(?:runtime\/src\/(?:replay\/|node\/(?:salvage|verify)-session)|sdk\/src\/sessions\/(?:replay|salvage|verify)-session)/;

/**
 * Names the one chunk that every headless turn loads, since a file less is a millisecond less: all of ours that such a
 * turn reaches without a further dynamic import. Help, the conversation, what runs a tool's call, schemas and libraries
 * stay in chunks of their own, loaded when used.
 */
export function createTurnChunk(): (moduleId: string, graph: ModuleGraph) => 'turn' | null {
  let reached: ReadonlySet<string> | undefined;
  return (moduleId, graph) => {
    reached ??= reach(graph);
    return reached.has(moduleId) || isBundlerHelper(moduleId) ? 'turn' : null;
  };
}

function reach(graph: ModuleGraph): ReadonlySet<string> {
  const reached = new Set([entry, ...loadedByEveryTurn]);
  for (const moduleId of reached) {
    for (const imported of graph.getModuleInfo(moduleId)?.importedIds ?? []) {
      if (isOurs(imported) && !schemas.test(imported) && !otherCommands.test(imported)) reached.add(imported);
    }
  }
  reached.delete(entry);
  return reached;
}

function isOurs(moduleId: string): boolean {
  return moduleId.startsWith(repository) && !moduleId.includes('/node_modules/');
}

function isBundlerHelper(moduleId: string): boolean {
  return moduleId.includes('@oxc-project');
}

interface BuiltChunk {
  readonly name: string;
  readonly fileName: string;
  readonly moduleIds: readonly string[];
  readonly imports: readonly string[];
}

/** What of Node every turn needs at once. Each further module of it is milliseconds of every start. */
const builtinsOfEveryTurn: ReadonlySet<string> = new Set([
  'node:crypto',
  'node:fs',
  'node:os',
  'node:path',
  'node:string_decoder',
  'node:util',
]);

/**
 * @throws when the start of a turn has come to load a library: then an import of a value is wider than it needs to be,
 * or a module of Node's that is needed later, if at all; and when the chunk has come to import who imports it: then what
 * it holds of that one is used before it is there.
 */
export function checkTurnChunk(chunks: readonly BuiltChunk[]): void {
  const turn = chunks.find(({ name }) => name === 'turn');
  if (turn === undefined) throw new Error('the bundle has no chunk "turn"');
  const loaded = new Set([turn]);
  for (const chunk of loaded) {
    for (const file of chunk.imports) {
      const next = chunks.find(({ fileName }) => fileName === file);
      if (next !== undefined) loaded.add(next);
    }
  }
  const importer = [...loaded].find(({ imports }) => imports.includes(turn.fileName));
  if (importer !== undefined) throw new Error(`the chunks "turn" and "${importer.name}" import each other: a cycle`);
  const builtins = [...loaded].flatMap(({ imports }) => imports.filter((name) => name.startsWith('node:')));
  const needless = builtins.filter((name) => !builtinsOfEveryTurn.has(name));
  if (needless.length > 0) {
    throw new Error(`every start of the command would load ${needless.join(', ')}: import it where it is used`);
  }
  const libraries = [...loaded].flatMap(({ moduleIds }) => moduleIds.filter((id) => id.includes('/node_modules/')));
  if (libraries.length > 0) {
    throw new Error(
      `every start of the command would load ${libraries.length} modules of libraries, ${libraries[0]} among them`,
    );
  }
}
