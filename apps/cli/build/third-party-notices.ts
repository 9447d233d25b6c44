import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

interface Manifest {
  name?: string;
  version?: string;
  license?: string;
}

/** The notices of every package whose code stands in the bundle, so that copies carry their licences. */
export function thirdPartyNotices(moduleIds: Iterable<string>): string {
  const folders = new Set<string>();
  for (const id of moduleIds) {
    const folder = packageFolderOf(id);
    if (folder !== undefined) folders.add(folder);
  }
  const notices = [...folders].map(noticeOf).sort((left, right) => (left.title < right.title ? -1 : 1));
  return [
    'The command rondo contains code of these packages.',
    ...notices.map(({ title, text }) => `${'-'.repeat(80)}\n${title}\n\n${text.trim()}`),
    '',
  ].join('\n\n');
}

/** The folder of the installed package that a module belongs to; undefined for our own modules. */
function packageFolderOf(moduleId: string): string | undefined {
  const path = moduleId.replace(/^\0/, '').replace(/\?.*$/, '');
  if (!path.includes(`${sep}node_modules${sep}`)) return undefined;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file) && readManifest(file).name !== undefined) return folder;
  }
  return undefined;
}

function noticeOf(folder: string): { title: string; text: string } {
  const { name, version, license } = readManifest(join(folder, 'package.json'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  if (files.length === 0 && license === undefined) {
    throw new Error(`${name}@${version} would be bundled, but names no licence`);
  }
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  return { title: `${name}@${version} (${license ?? 'see below'})`, text: text || `Licence: ${license}` };
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
