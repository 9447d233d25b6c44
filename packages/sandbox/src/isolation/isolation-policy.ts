import { homedir } from 'node:os';
import { isAbsolute, join, normalize, resolve } from 'node:path';
import type { SandboxSettings } from '../sandbox-settings.ts';

/** What a sandbox keeps its commands to, the same on every system. Paths are absolute and may be patterns. */
export interface IsolationPolicy {
  readonly home: string;
  /** Beside the folders of the session. */
  readonly write: readonly string[];
  readonly denyWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly read: readonly string[];
  readonly network: NetworkPolicy;
  readonly unixSockets: 'none' | 'all' | readonly string[];
  readonly localBinding: boolean;
  /** The /proc of the surroundings is shown. */
  readonly sharedProc: boolean;
}

/** Hosts that may be reached. Without `allowed` hosts and without ports of a person's own proxy there is no network. */
export interface NetworkPolicy {
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
  readonly httpProxyPort?: number;
  readonly socksProxyPort?: number;
}

/** Where people keep keys and tokens, below the home. Hidden unless `allowRead` or `allowWrite` names them. */
export const credentialPlaces: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.kube',
  '.docker/config.json',
  '.netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.pypirc',
  '.pgpass',
  '.password-store',
];

export interface CompileIsolationOptions {
  readonly settings: SandboxSettings;
  /** Relative paths start there. */
  readonly cwd: string;
  readonly home?: string | undefined;
}

export function compileIsolation({ settings, cwd, home = homedir() }: CompileIsolationOptions): IsolationPolicy {
  const { network = {}, filesystem = {}, enableWeakerNestedSandbox } = settings;
  const absolute = (paths: readonly string[] = []) => paths.map((path) => absolutePath(path, { cwd, home }));
  const write = absolute(filesystem.allowWrite);
  const read = absolute(filesystem.allowRead);
  const named = new Set([...write, ...read]);
  const credentials = credentialPlaces.map((place) => join(home, place)).filter((place) => !named.has(place));
  return {
    home,
    write,
    denyWrite: absolute(filesystem.denyWrite),
    denyRead: [...absolute(filesystem.denyRead), ...credentials],
    read,
    network: {
      allowed: network.allowedDomains ?? [],
      denied: network.deniedDomains ?? [],
      ...(network.httpProxyPort === undefined ? {} : { httpProxyPort: network.httpProxyPort }),
      ...(network.socksProxyPort === undefined ? {} : { socksProxyPort: network.socksProxyPort }),
    },
    unixSockets: network.allowAllUnixSockets === true ? 'all' : socketsOf(absolute(network.allowUnixSockets)),
    localBinding: network.allowLocalBinding === true,
    sharedProc: enableWeakerNestedSandbox === true,
  };
}

/** True where some host may be reached. */
export function hasNetwork({ network }: IsolationPolicy): boolean {
  return network.allowed.length > 0 || network.httpProxyPort !== undefined || network.socksProxyPort !== undefined;
}

function socketsOf(paths: readonly string[]): 'none' | readonly string[] {
  return paths.length === 0 ? 'none' : paths;
}

/** `~`, `//absolute` as permission rules write it, and relative paths, as one absolute path without `..` and end slash. */
function absolutePath(path: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  const expanded = path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
  const whole = isAbsolute(expanded) ? normalize(expanded.replace(/^\/+/, '/')) : resolve(cwd, expanded);
  return whole.length > 1 ? whole.replace(/\/+$/, '') : whole;
}
