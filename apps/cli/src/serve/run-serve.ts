import { listen, readTokenFile, type HostLog, type Listening } from '@rondo/host/node';
import { RondoError } from '@rondo/protocol/values';
import { agentBindingId, type Home, loadAgents, type LoadedAgent, openHome } from '@rondo/sdk/host';
import type { ServeValues } from '../command/flag-tables.ts';
import { listenForInterruption } from '../process/interruption.ts';
import { print } from '../process/print.ts';
import { printableLine } from '../terminal/printable-text.ts';
import { createServeLog } from './serve-log.ts';
import { ensureTokenFile } from './serve-token.ts';

/** Clients have five seconds to hear their answers, and then turns five to stop. */
const graceMs = 15_000;

/** A host for clients elsewhere, until it is told to end. */
export async function runServe(
  values: ServeValues,
  positionals: readonly string[],
  { redact }: { readonly redact: (text: string) => string },
): Promise<number> {
  if (positionals[0] !== undefined) throw new RondoError('input.invalid', `rondo serve takes no "${positionals[0]}".`);
  const port = readPort(values.port);
  using interruption = listenForInterruption({ graceMs, exit: (code) => process.exit(code) });
  const stop = new Promise<void>((resolve) => {
    interruption.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await using home = await openHome(readStore(values.store));
  const tokenFile = values.tokenFile ?? (await ensureTokenFile(home.path));
  const tokens = await readTokenFile(tokenFile);
  const log = createServeLog(redact);
  const agents = values.agents === undefined ? [] : await loadAgents(values.agents, { home: home.path });
  for (const { name, binding } of agents) home.runtime.bind(binding, agentBindingId(name));
  const { host = '127.0.0.1' } = values;
  await using listening = await listen(home.runtime, {
    host,
    port,
    tokens,
    log,
    name: 'rondo serve',
    allowedOrigins: origins(values.allowOrigin),
    allowedHosts: values.allowHost ?? [],
  }).catch((error: unknown) => {
    throw cannotListen(error, host, port);
  });
  await print(greeting(listening, tokenFile, agents));
  await recover(home, agents, { log, signal: interruption.signal });
  await stop;
  log.info({ connections: listening.connections() }, 'closing');
  await listening.close();
  await home.close();
  for (const { binding } of agents) await binding.model.close?.();
  // It was asked to end, and did.
  return 0;
}

/** As a browser names them: without a path, and in lower case. */
function origins(given: readonly string[] = []): string[] {
  return given.map((text) => {
    const origin = URL.canParse(text) ? new URL(text).origin : 'null';
    if (origin !== 'null') return origin;
    throw new RondoError(
      'input.invalid',
      `--allow-origin takes an origin such as http://localhost:5173, not "${text}".`,
    );
  });
}

function greeting({ url }: Listening, tokenFile: string, agents: readonly LoadedAgent[]): string {
  const names = agents.map(({ name }) => printableLine(name, 60));
  const served = names.length === 0 ? 'no agents: sessions are shown, and answered, not run' : names.join(', ');
  return `Listening on ${url}\nToken in ${tokenFile}\nServing ${served}\n`;
}

/** What a former host left goes on here, where an agent of here satisfies it. */
async function recover(
  { runtime }: Home,
  agents: readonly LoadedAgent[],
  { log, signal }: { readonly log: HostLog; readonly signal: AbortSignal },
): Promise<void> {
  try {
    const bindingIds = agents.map(({ name }) => agentBindingId(name));
    for (const session of await runtime.recover({ bindingIds, signal })) {
      if (session.outcome === 'parked')
        log.warn(session, 'an unfinished session waits for a host that has what is missing');
      else log.info(session, 'an unfinished session was found');
    }
  } catch (err) {
    log.error({ err }, 'unfinished sessions could not be taken up; they stay as they are');
  }
}

function readPort(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new RondoError('input.invalid', `--port is a number from 0 to 65535, not "${text}".`);
}

function readStore(store: string | undefined): { readonly home?: string } {
  if (store === undefined) return {};
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(store)) return { home: store };
  throw new RondoError('input.invalid', '--store is a folder; this version keeps sessions in no database.');
}

function cannotListen(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const why = {
    EADDRINUSE: 'another process listens there',
    EADDRNOTAVAIL: 'this machine does not have that address',
    EACCES: 'this user may not',
    ENOTFOUND: 'there is no such host',
  }[String(code)];
  if (why === undefined) return error;
  return new RondoError('channel.closed', `Cannot listen on ${host}, port ${port}: ${why}.`, { cause: error });
}
