import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const built = fileURLToPath(new URL('../../../../apps/cli/', import.meta.url));

/** Copies the built command as it is installed and gives the copy's path: a build meanwhile must change nothing. */
export async function copyCommand(folder: string): Promise<string> {
  const place = path.join(folder, 'command');
  await mkdir(place);
  for (const name of ['package.json', 'dist']) {
    await cp(path.join(built, name), path.join(place, name), { recursive: true });
  }
  return path.join(place, 'dist', 'rondo.js');
}
