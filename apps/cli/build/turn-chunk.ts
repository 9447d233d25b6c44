const ours = /\/(?:apps\/cli|packages\/(?:sdk|runtime|client|host|sandbox|providers|tools))\/src\//;
/** Of the protocol what needs no schema. */
const values =
  /\/packages\/protocol\/src\/(?:values\.ts|error\/|cursor\/|channel\/|query\/derive|json\/canonical|content\/(?:image|encode))/;
const notForATurn =
  /\/testing\/|\/apps\/cli\/src\/(?:main\.ts|demo\/|sessions\/)|\/debug\/debug-log|\/sdk\/src\/sessions\/|\/command\/help|\/(?:decode-event|unfinished-session)\.ts|\/terminal\/(?:run-interactive|conversation|keyboard|choose|show|permission|message-queue)/;

/**
 * Whether a module goes into the one chunk that every headless turn loads: a file less is a millisecond less. What few
 * turns need (help, the conversation, the demo, schemas, libraries) stays in chunks of its own.
 */
export function inTurnChunk(moduleId: string): boolean {
  const id = moduleId.replaceAll('\\', '/');
  if (id.includes('/node_modules/') || notForATurn.test(id)) return false;
  return ours.test(id) || values.test(id);
}

interface BuiltChunk {
  readonly name: string;
  readonly fileName: string;
  readonly moduleIds: readonly string[];
  readonly imports: readonly string[];
}

/**
 * @throws when the start of a turn has come to load a library: then an import of a value is wider than it needs to be;
 * and when the chunk has come to import who imports it: then what it holds of that one is used before it is there.
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
  const libraries = [...loaded].flatMap(({ moduleIds }) => moduleIds.filter((id) => id.includes('node_modules')));
  if (libraries.length > 0) {
    throw new Error(
      `every start of the command would load ${libraries.length} modules of libraries, ${libraries[0]} among them`,
    );
  }
}
