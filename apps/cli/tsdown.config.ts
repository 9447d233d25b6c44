import { chmod, copyFile, readFile, writeFile } from 'node:fs/promises';
import { asciiOnly } from '@rondo/release/ascii-only';
import { loaderImports } from '@rondo/release/loader-imports';
import { defineConfig } from 'tsdown';
import { thirdPartyNotices } from './build/third-party-notices.ts';
import { checkTurnChunk, createTurnChunk } from './build/turn-chunk.ts';

interface CommandManifest {
  optionalDependencies?: Record<string, string>;
}

const manifest = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8')) as CommandManifest;

/** Packages with native parts stay outside the bundle: the command loads them when it needs them, if they are there. */
const outside = Object.keys(manifest.optionalDependencies ?? {});
/** What bundled packages import for features that the command has no use for (Mistral's: voice), where it is installed. */
const absent = ['livekit-client'];

export default defineConfig({
  entry: { main: 'src/main.ts', start: 'src/start/start.ts' },
  // Of scripts, unlike modules, V8 gives what it compiled while they ran: `src/start/chunk-loader.ts` keeps that.
  format: 'cjs',
  checks: { legacyCjs: false },
  platform: 'node',
  target: 'node22.13',
  outDir: 'dist',
  clean: true,
  dts: false,
  minify: true,
  fixedExtension: false,
  hash: true,
  deps: { neverBundle: [...outside, ...absent], onlyBundle: false, onlyImport: [...outside, ...absent] },
  inputOptions: {
    resolve: {
      conditionNames: ['@rondo/source', 'node', 'import', 'default'],
      // Its main file requires its parts in a way that no bundler sees.
      alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    },
    preserveEntrySignatures: 'allow-extension',
  },
  outputOptions: {
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: createTurnChunk(), debugName: 'turn' }] },
  },
  plugins: [loaderImports(['start']), asciiOnly()],
  logLevel: 'warn',
  hooks: {
    'build:done': async ({ chunks, options }) => {
      checkTurnChunk(chunks.filter((chunk) => chunk.type === 'chunk'));
      const moduleIds = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []));
      await writeFile(`${options.outDir}/THIRD-PARTY-NOTICES.txt`, thirdPartyNotices(moduleIds));
      await copyFile(new URL('build/rondo.cjs', import.meta.url), `${options.outDir}/rondo.js`);
      await chmod(`${options.outDir}/rondo.js`, 0o755);
      await writeFile(`${options.outDir}/package.json`, '{ "type": "commonjs" }\n');
      await copyFile(new URL('src/demo/demo.yaml', import.meta.url), `${options.outDir}/chunks/demo.yaml`);
    },
  },
});
