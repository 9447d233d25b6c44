import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Message } from 'esbuild';
import { house } from '../house.ts';
import type { Problem } from '../rule/problem.ts';

/** The root entry of each neutral package bundles for a browser: nothing it reaches, third parties included, needs Node. */
export async function neutralEntries(root: string): Promise<Problem[]> {
  const names = Object.entries(house).flatMap(([name, plan]) => (plan.neutral ? [name] : []));
  const found = await Promise.all(
    names.map((name) => bundleForBrowser(root, join('packages', name, 'src', 'index.ts'))),
  );
  return found.flat();
}

export async function bundleForBrowser(root: string, entry: string): Promise<Problem[]> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['@rondo/source'],
    logLevel: 'silent',
    plugins: [
      {
        name: 'no-node',
        setup(context) {
          context.onResolve({ filter: /.*/ }, ({ path }) =>
            isBuiltin(path)
              ? { errors: [{ text: `"${path}" is Node's, and ${entry} must run in a browser` }] }
              : undefined,
          );
        },
      },
    ],
  }).catch((error: unknown) => {
    const errors = (error as { errors?: Message[] }).errors;
    if (!errors) throw error;
    return { errors };
  });
  return result.errors.map(({ location, text }) => ({
    where: location ? `${location.file}:${location.line}` : entry,
    message: text,
  }));
}
