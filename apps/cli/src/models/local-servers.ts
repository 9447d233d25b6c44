import { RondoError } from '@rondo/protocol/values';
import type { LocalModel, LocalServer } from '@rondo/providers/openai-compatible';

export const localServersVariable = 'RONDO_LOCAL_SERVERS';

/**
 * The servers that answer on this machine's usual ports, or on those that `RONDO_LOCAL_SERVERS` names: ports or URLs of
 * this machine, `none` for no look at all.
 * @throws RondoError `input.invalid` for an address of another machine, which is never asked unnamed.
 */
export async function localServers(
  env: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<readonly LocalServer[]> {
  const ports = portsOf(env[localServersVariable]?.trim() ?? '');
  if (ports?.length === 0) return [];
  const { findLocalServers } = await import('@rondo/providers/openai-compatible');
  const found = await findLocalServers({ ...(ports && { ports }), ...(signal && { signal }) });
  return found.filter(({ models }) => models.length > 0);
}

/** What to type for a model of such a server; one on another port than its kind's has to be told where it is. */
export function modelFlag({ baseUrl }: Pick<LocalServer, 'baseUrl'>, { id, name }: LocalModel): string {
  if (name !== undefined) return `--model ${quoted(name)}`;
  return `OPENAI_COMPATIBLE_BASE_URL=${baseUrl} rondo --model ${quoted(`openai-compatible/${id}`)}`;
}

/** As a shell takes it: what a server calls its models is anything. */
function quoted(argument: string): string {
  return /^[\w./:@+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** Undefined for the usual ones. */
function portsOf(written: string): readonly number[] | undefined {
  if (written === '') return undefined;
  if (written === 'none') return [];
  return written.split(/[\s,]+/).map((part) => {
    const port = /^\d{1,5}$/.test(part) ? Number(part) : portOfUrl(part);
    if (port !== undefined && port > 0 && port < 65_536) return port;
    throw new RondoError(
      'input.invalid',
      `${localServersVariable}: ${JSON.stringify(part)} is no port or URL of this machine. It takes 11434, http://127.0.0.1:8000, several of them, or none; a server elsewhere has its place under models.servers of your settings.`,
    );
  });
}

function portOfUrl(address: string): number | undefined {
  const url = URL.parse(address);
  if (url === null || !['127.0.0.1', 'localhost'].includes(url.hostname) || url.port === '') return undefined;
  return Number(url.port);
}
