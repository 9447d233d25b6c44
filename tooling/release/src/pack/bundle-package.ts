// Makes a package's JavaScript, in the package's folder: one file an entry, and chunks for what entries share or load
// later. A program that imports the package reads a few files, not one a module. Types are the compiler's.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, unknown>>;
  /** Programs, each made from the source of the same place. */
  readonly bin?: Readonly<Record<string, string>>;
}

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
  name: 'others outside',
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path, external: true, sideEffects: false },
    );
  },
};

await build({
  entryPoints: Object.fromEntries(places.map((place) => [place, join('src', `${place}.ts`)])),
  outdir: dist,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  plugins: [othersOutside],
  target: 'es2024',
  sourcemap: true,
  logLevel: 'warning',
});
