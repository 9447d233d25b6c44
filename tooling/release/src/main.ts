import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lintTarball } from './pack/lint-tarball.ts';
import { packPackage } from './pack/pack-package.ts';
import { publicPackages } from './pack/public-packages.ts';
import { fetchNode, pinnedNode } from './smoke/node-versions.ts';
import { type SmokeCase, smokeCases } from './smoke/smoke-cases.ts';

/** Packs what the house publishes, lints the tarballs, and uses them from empty folders. Expects a finished build. */
const root = join(import.meta.dirname, '..', '..', '..');
const folder = await mkdtemp(join(tmpdir(), 'rondo-packed-'));
let failed = 0;
let cases: SmokeCase[] = [];

try {
  const packages = publicPackages(root);
  const tarballs = new Map<string, string>();
  for (const source of packages) {
    await attempt(`pack ${source.name}`, async () => {
      const tarball = await packPackage(source, folder);
      tarballs.set(source.name, tarball);
      await lintTarball(source, tarball);
    });
  }
  await attempt('the Node versions to try them on', async () => {
    const lowest = await fetchNode('22.13', join(folder, 'node-lowest'));
    const tooOld = await fetchNode('20.20', join(folder, 'node-too-old'));
    const nodes = [pinnedNode(), lowest];
    cases = smokeCases({ root, folder: join(folder, 'consumers'), packages, tarballs, nodes, tooOld });
  });
  for (const { name, run } of cases) await attempt(name, run);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

async function attempt(name: string, work: () => Promise<void>): Promise<void> {
  const startedAt = Date.now();
  try {
    await work();
    process.stdout.write(`ok      ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)\n`);
  } catch (error) {
    failed += 1;
    const { message, cause } = error as Error;
    process.stdout.write(
      `FAILED  ${name}\n${[message, cause].filter(Boolean).join('\n').replace(/^/gm, '        ')}\n`,
    );
  }
}
