import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PublicPackage, withWhatTheyBring } from '../pack/public-packages.ts';
import { type Outcome, runQuietly } from '../run-quietly.ts';
import { type Consumer, createConsumer } from './consumer.ts';
import { type NodeVersion, pinnedNode } from './node-versions.ts';
import { programOn, readmePrograms } from './readme-programs.ts';
import { executableTools, runSingleExecutable } from './single-executable.ts';

export interface SmokeCase {
  name: string;
  run: () => Promise<void>;
}

export interface SmokeOptions {
  root: string;
  /** An empty folder for consumers. */
  folder: string;
  packages: readonly PublicPackage[];
  tarballs: ReadonlyMap<string, string>;
  /** Versions on which everything runs. */
  nodes: readonly NodeVersion[];
  /** A version on which the command declines. */
  tooOld: NodeVersion;
}

/** What a user meets who installs the packed packages into an empty folder. */
export function smokeCases(options: SmokeOptions): SmokeCase[] {
  return [
    { name: '@rondo/protocol alone brings zod and nothing else', run: () => protocolAlone(options) },
    { name: 'a program on @rondo/sdk as one executable', run: () => singleExecutable(options) },
    ...[true, false].flatMap((withOptional) => {
      const how = withOptional ? 'with optional dependencies' : 'without optional dependencies';
      return [
        { name: `the command, ${how}`, run: () => command(options, withOptional) },
        { name: `a program on @rondo/sdk, ${how}`, run: () => program(options, ['@rondo/sdk'], withOptional) },
        {
          name: `a program on @rondo/runtime and @rondo/providers, ${how}`,
          run: () => program(options, ['@rondo/runtime', '@rondo/providers'], withOptional),
        },
      ];
    }),
  ];
}

async function protocolAlone(options: SmokeOptions): Promise<void> {
  const { folder } = await install(options, 'protocol', ['@rondo/protocol'], true);
  const modules = join(folder, 'node_modules');
  const found = readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((part) => `${name}/${part}`) : name,
    );
  expectEqual('installed', found.sort().join(' '), '@rondo/protocol zod');
}

async function command(options: SmokeOptions, withOptional: boolean): Promise<void> {
  const consumer = await install(options, `command-${withOptional}`, ['@rondo/cli'], withOptional);
  const version = options.packages.find(({ name }) => name === '@rondo/cli')?.version ?? '';
  for (const { name, folder } of options.nodes) {
    const rondo = (...parameters: string[]): Promise<Outcome> =>
      consumer.run(folder, 'npx', ['--no-install', 'rondo', ...parameters]);
    const told = await rondo('--version');
    expectSuccess(`rondo --version on ${name}`, told);
    if (!told.stdout.includes(version)) throw new Error(`rondo --version on ${name} says ${told.stdout.trim()}`);
    const shown = await rondo('demo');
    expectSuccess(`rondo demo on ${name}`, shown);
    if (shown.stdout.trim() === '') throw new Error(`rondo demo on ${name} shows nothing`);
    if (withOptional) await search(consumer, name, rondo);
  }
  const declined = await consumer.run(options.tooOld.folder, 'npx', ['--no-install', 'rondo', '--version']);
  expectEqual(`exit on ${options.tooOld.name}`, String(declined.exitCode), '2');
  expectEqual(`lines on stderr on ${options.tooOld.name}`, String(declined.stderr.trim().split('\n').length), '1');
  expectEqual(`stdout on ${options.tooOld.name}`, declined.stdout, '');
}

async function singleExecutable(options: SmokeOptions): Promise<void> {
  const consumer = await install(options, 'executable', ['@rondo/sdk'], true, executableTools);
  expectEqual('the executable', await runSingleExecutable(consumer, pinnedNode()), 'It is noon.');
}

/** The native program that the command loads from its optional dependencies is there and runs. */
async function search(
  { folder }: Consumer,
  node: string,
  rondo: (...parameters: string[]) => Promise<Outcome>,
): Promise<void> {
  const script = join(folder, 'search.json');
  const steps = [
    { call: 'Grep', input: { pattern: 'a private consum.r', path: '.' } },
    { expect: { results: ['note.txt'] }, text: 'Found.' },
  ];
  writeFileSync(join(folder, 'note.txt'), 'of a private consumer\n');
  writeFileSync(script, JSON.stringify({ version: 1, unused: 'error', steps }));
  const found = await rondo('-p', 'search', '--tools', 'Grep', '--model', `scripted/${script}`);
  expectSuccess(`a search on ${node}`, found);
  expectEqual(`a search on ${node}`, found.stdout.trim(), 'Found.');
}

/** Compiled against the installed declarations, theirs checked too, then run. */
async function program(options: SmokeOptions, names: readonly string[], withOptional: boolean): Promise<void> {
  const label = `${names.map((name) => name.split('/')[1]).join('-')}-${withOptional}`;
  const { text } = programOn(readmePrograms(readFileSync(join(options.root, 'README.md'), 'utf8')), names);
  const nodeTypes = `@types/node@${installedVersion(options.root, '@types/node')}`;
  const consumer = await install(options, label, names, withOptional, [nodeTypes]);
  writeFileSync(join(consumer.folder, 'program.ts'), text);
  await runQuietly(
    'tsc',
    [
      '--strict',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--skipLibCheck',
      'false',
      'program.ts',
    ],
    { cwd: consumer.folder },
  );
  for (const { name, folder } of options.nodes) {
    expectSuccess(`the program on ${name}`, await consumer.run(folder, 'node', ['program.js']));
  }
}

function install(
  options: SmokeOptions,
  label: string,
  names: readonly string[],
  withOptional: boolean,
  others: readonly string[] = [],
): Promise<Consumer> {
  const tarballs = withWhatTheyBring(options.packages, names).map(({ name }) => {
    const tarball = options.tarballs.get(name);
    if (tarball === undefined) throw new Error(`${name} was not packed`);
    return tarball;
  });
  return createConsumer({ folder: join(options.folder, label), tarballs, others, withOptional });
}

function installedVersion(root: string, name: string): string {
  const manifest = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

function expectSuccess(what: string, { exitCode, stdout, stderr }: Outcome): void {
  if (exitCode !== 0) throw new Error(`${what}: exit ${exitCode}\n${stdout.trim()}\n${stderr.trim()}`.trim());
}

function expectEqual(what: string, found: string, expected: string): void {
  if (found !== expected)
    throw new Error(`${what}: ${JSON.stringify(found)}, but expected ${JSON.stringify(expected)}`);
}
