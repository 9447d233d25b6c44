import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A key that must be nowhere but in the environment and in the request's header. */
export const secretKey = 'sk-ant-e2e-0123456789-abcdefghij';

/** A home, a project folder and an environment of a scenario's own. */
export interface Place extends Disposable {
  readonly folder: string;
  /** `RONDO_HOME`. */
  readonly home: string;
  readonly project: string;
  /** All that the command and what it starts see of the environment; no server of the machine is looked for. */
  env(more?: Readonly<Record<string, string | undefined>>): Record<string, string | undefined>;
  /** Processes that were started with this environment and still are there, by what they are called. */
  processes(): string[];
  /** Every file below the folder, and what is in it. */
  files(under?: string): Map<string, Buffer>;
}

export function createPlace(): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-e2e-')));
  const home = join(folder, 'home', '.rondo');
  const project = join(folder, 'project');
  mkdirSync(join(folder, 'home'));
  mkdirSync(project);
  const mark = `RONDO_E2E=${randomUUID()}`;
  return {
    folder,
    home,
    project,
    env: (more = {}) => ({
      PATH: process.env['PATH'],
      HOME: join(folder, 'home'),
      RONDO_HOME: home,
      RONDO_E2E: mark.slice(mark.indexOf('=') + 1),
      ANTHROPIC_API_KEY: secretKey,
      RONDO_LOCAL_SERVERS: 'none',
      NO_COLOR: '1',
      ...more,
    }),
    processes: () => processesWith(mark),
    files: (under = folder) => filesBelow(under),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function processesWith(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
        const state = readFileSync(`/proc/${pid}/stat`, 'latin1');
        const isDead = /^\d+ \(.*\) [ZX]/s.test(state);
        if (isDead || !environment.split('\0').includes(mark)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')}`];
      } catch {
        // It ended meanwhile, or is not ours to look at.
        return [];
      }
    });
}

function filesBelow(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(path, readFileSync(path));
  }
  return files;
}
