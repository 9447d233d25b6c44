import { resolve } from 'node:path';
import { resolveHome } from '@rondo/runtime/node';
import type { HomeOptions } from '../sessions/with-home.ts';
import { readRegularFile } from './regular-file.ts';
import { settingsPlaces } from './settings-places.ts';

/**
 * The environment variables that settings files name for keys of servers, whatever they are called; for whoever keeps keys
 * out of what it writes. Files are only searched: what is broken or not trusted may hold a key as well.
 */
export function getKeyVariables({ home }: HomeOptions = {}): readonly string[] {
  const place = home === undefined ? resolveHome() : resolve(home);
  const places = settingsPlaces({ cwd: process.cwd(), home: place, env: process.env });
  const named = places.flatMap(({ path }) =>
    [...textOf(path).matchAll(/"apiKeyVariable"\s*:\s*"([A-Za-z_]\w*)"/g)].flatMap(([, name = '']) => name),
  );
  return [...new Set(named)];
}

function textOf(path: string): string {
  try {
    return readRegularFile(path, 4 * 1024 * 1024)?.toString('utf8') ?? '';
  } catch {
    return '';
  }
}
