import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Outcome, run, runQuietly } from '../run-quietly.ts';

export interface Consumer {
  folder: string;
  /** Runs a program of the folder's, with a Node and a home of its own choosing. */
  run(nodeFolder: string, command: string, parameters: readonly string[]): Promise<Outcome>;
}

export interface ConsumerOptions {
  folder: string;
  tarballs: readonly string[];
  /** From the registry, beside the tarballs. */
  others?: readonly string[];
  withOptional?: boolean;
}

/** An empty folder into which npm installs the tarballs, as a user would. */
export async function createConsumer(options: ConsumerOptions): Promise<Consumer> {
  const { folder, tarballs, others = [], withOptional = true } = options;
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  const optional = withOptional ? [] : ['--omit=optional'];
  await runQuietly(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', ...optional, ...tarballs, ...others],
    { cwd: folder, env: outsideTheHouse() },
  );
  return {
    folder,
    run: (nodeFolder, command, parameters) => {
      const env = outsideTheHouse();
      const path = [nodeFolder, env.PATH].join(delimiter);
      return run(command, parameters, {
        cwd: folder,
        env: { ...env, PATH: path, HOME: home, RONDO_HOME: join(home, '.rondo'), NO_COLOR: '1' },
        timeout: 120_000,
      });
    },
  };
}

/** The environment without what npm and the workspace put into it: nothing of the house answers by accident. */
export function outsideTheHouse(): NodeJS.ProcessEnv {
  const ofThisRun =
    /^(npm_(package|lifecycle|config_(local_prefix|prefix|global_prefix|user_agent))|npm_command|INIT_CWD|NODE$)/;
  const secret = /(_API_KEY|_AUTH_TOKEN)$/;
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !ofThisRun.test(name) && !secret.test(name)),
  );
  const folders = (env.PATH ?? '').split(delimiter);
  return { ...env, PATH: folders.filter((folder) => !/node_modules|node-gyp-bin/.test(folder)).join(delimiter) };
}
