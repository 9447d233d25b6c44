// Ten shells and hooks at work, each of a kind that is hard to get rid of. Killed before any of them ends.
import { createIsolatedSandbox, createLocalSandbox, runProcess } from '@rondo/sandbox';

const [, , isolated] = process.argv;
const env = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
);
const options = { cwd: process.cwd(), env, signal: new AbortController().signal, timeoutMs: 600_000 } as const;
const sandbox = createLocalSandbox();
const kept =
  isolated === 'isolated' ? await createIsolatedSandbox({ settings: {}, folders: [process.cwd()] }) : sandbox;

const lines = [
  'sleep 7401',
  'setsid sleep 7401 & wait',
  '(setsid sh -c "sleep 7401 & exec sleep 7401" </dev/null >/dev/null 2>&1 &); sleep 7401',
  'trap "" TERM; while :; do sleep 7401; done',
  'trap "" TERM HUP; (trap "" TERM; setsid nohup sleep 7401 >/dev/null 2>&1 &); sleep 7401',
];
const up = lines.flatMap((line, index) => {
  const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const where = index % 2 === 0 ? sandbox : kept;
  void where.exec(`echo up; ${line}`, { ...options, outputLimit: 1000, onOutput: () => started[0].resolve() });
  void runProcess({
    ...options,
    command: `echo up; ${line}`,
    input: '{}',
    outputLimit: 1000,
    onOutput: () => started[1].resolve(),
  });
  return started.map(({ promise }) => promise);
});
await Promise.all(up);
process.stdout.write(`${up.length} up\n`);
