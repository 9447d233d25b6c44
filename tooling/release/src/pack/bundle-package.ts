// Makes a package's JavaScript, in the package's folder: one file an entry, one for what the same entries share, and
// chunks for what is loaded later. A program that imports the package reads a few files, not one a module. Types are
// the compiler's.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { asciiOnly } from './ascii-only.ts';
import { builtinImports } from './builtin-imports.ts';
import { entryChunks } from './entry-chunks.ts';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** Programs, each made from the source of the same place. */
  readonly bin?: Readonly<Record<string, string>>;
}

/**
 * What a package is loaded by, in this order, where that is not its first entry: each line is one file. The first entry
 * of the protocol holds all schemas, and no start needs them; every turn asks Anthropic's adapter unless told otherwise.
 */
const loadedTogether: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '@rondo/protocol': [['values'], ['index']],
  '@rondo/providers': [['index', 'anthropic/anthropic-model-from-environment']],
  '@rondo/tools': [['index', 'read/run-read']],
};

const folder = process.cwd();
const dist = join(folder, 'dist');
const { name, exports, bin = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const places = [
  ...Object.values(exports).map((target) => (target as { default?: string }).default),
  ...Object.values(bin),
]
  .map((file) => (file === undefined ? undefined : /^\.\/dist\/(.*)\.js$/.exec(file)?.[1]))
  .filter((place) => place !== undefined);
if (places.length === 0) throw new Error(`${name} exports nothing that is built`);

// What an earlier build has left would be packed.
for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  if (/\.js(\.map)?$/.test(file)) rmSync(join(dist, file));
}

/**
 * Nothing but the package's own files is taken in: not Node's modules, and no library. What no code of a file uses is not
 * imported by it, since nothing that we import does anything by being imported.
 */
const othersOutside: Plugin = {
  name: 'others-outside',
  resolveId: (id, importer) =>
    importer === undefined || /^[./]/.test(id) ? null : { id, external: true, moduleSideEffects: false },
};

const source = (place: string): string => join(folder, 'src', `${place}.ts`);
const entries = Object.fromEntries(places.map((place) => [place, source(place)]));
const loads = (loadedTogether[name] ?? [['index']]).map((modules) => ({
  name: modules[0]?.split('/').at(-1) ?? name,
  modules: modules.map(source),
}));

const bundle = await rolldown({
  input: entries,
  platform: 'neutral',
  plugins: [othersOutside, builtinImports(), asciiOnly()],
  treeshake: { moduleSideEffects: false },
  transform: { target: 'es2024' },
  preserveEntrySignatures: 'allow-extension',
  // What is loaded together is one file, whoever else asks for parts of it later.
  checks: { ineffectiveDynamicImport: false },
  logLevel: 'warn',
});
const { output } = await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: { includeDependenciesRecursively: false, groups: [entryChunks(loads, Object.values(entries))] },
  comments: false,
  sourcemap: true,
});
await bundle.close();

// An entry that other files import from would export more than its source says.
const chunks = output.filter((file) => file.type === 'chunk');
const entryFiles = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
for (const { fileName, imports } of chunks) {
  const entry = imports.find((file) => entryFiles.has(file));
  if (entry !== undefined)
    throw new Error(`${name}: ${fileName} imports from the entry ${entry}; give that code a file of its own`);
}
