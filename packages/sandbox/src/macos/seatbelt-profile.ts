import { dirname } from 'node:path';

/** What a profile keeps a command to. Real paths. */
export interface SeatbeltPolicy {
  readonly writable: readonly string[];
  /** In them, what is not. */
  readonly protected: readonly string[];
  readonly hidden: readonly string[];
  readonly shown: readonly string[];
  /** The ports of this machine where its proxies answer; none for no network. */
  readonly proxyPorts: readonly number[];
  readonly localBinding: boolean;
  readonly unixSockets: 'none' | 'all' | readonly string[];
  readonly machServices: readonly string[];
}

/** Devices that every program writes to. */
const devices = ['/dev/null', '/dev/zero', '/dev/tty', '/dev/stdout', '/dev/stderr', '/dev/dtracehelper'];

/** Services without which ordinary programs do not start: names of users, the log, notifications, fonts of none. */
const services = [
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.logd',
  'com.apple.bsd.dirhelper',
  'com.apple.SecurityServer',
  'com.apple.trustd',
  'com.apple.trustd.agent',
];

/**
 * A profile in the language of macOS's Seatbelt, in which the last rule that matches an act decides on it. Reading is
 * allowed but for what is hidden; writing, the network, services, other processes and whatever starts something outside
 * of the sandbox are refused but for what is named.
 */
export function seatbeltProfile(policy: SeatbeltPolicy): string {
  const { writable, hidden, shown, proxyPorts, localBinding, unixSockets, machServices } = policy;
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    ...rule('allow file-write*', [...writable.map(subpath), ...devices.map(literal), '(subpath "/dev/fd")']),
    ...rule('deny file-write*', policy.protected.map(subpath)),
    // Were a folder above moved away, what is protected in it could be made anew.
    ...rule('deny file-write-unlink', foldersAbove(policy).map(literal)),
    ...byDepth([...hidden.map(asRule('deny')), ...shown.map(asRule('allow'))]),
    '(deny file-write-setugid)',
    '(deny network*)',
    ...proxyPorts.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
    ...(localBinding
      ? [
          '(allow network-bind (local ip "localhost:*"))',
          '(allow network-inbound (local ip "localhost:*"))',
          '(allow network-outbound (remote ip "localhost:*"))',
        ]
      : []),
    ...socketRules(unixSockets),
    '(deny mach-lookup)',
    ...rule('allow mach-lookup', [...services, ...machServices].map(service)),
    '(deny mach-register)',
    '(deny mach-priv-task-port)',
    '(deny signal)',
    '(allow signal (target same-sandbox))',
    '(deny process-info*)',
    '(allow process-info* (target same-sandbox))',
    '(deny appleevent-send)',
    '(deny job-creation)',
    '(deny iokit-open)',
    '(deny system-socket)',
    '(deny nvram*)',
    '(deny system-kext*)',
    '',
  ].join('\n');
}

function socketRules(sockets: SeatbeltPolicy['unixSockets']): string[] {
  if (sockets === 'none') return [];
  if (sockets === 'all') return ['(allow network* (remote unix-socket))', '(allow network* (local unix-socket))'];
  return rule(
    'allow network-outbound',
    sockets.map((path) => `(remote unix-socket (path-literal ${quoted(path)}))`),
  );
}

interface ReadRule {
  readonly path: string;
  readonly text: string;
}

function asRule(verdict: 'allow' | 'deny') {
  return (path: string): ReadRule => ({ path, text: `(${verdict} file-read* ${subpath(path)})` });
}

/** Of two rules the one about the deeper place comes later, and so decides; about the same place, the one that denies. */
function byDepth(rules: readonly ReadRule[]): string[] {
  const depth = ({ path }: ReadRule) => path.split('/').length;
  return rules
    .toSorted((one, other) => depth(one) - depth(other) || one.text.localeCompare(other.text))
    .map(({ text }) => text);
}

function foldersAbove({ writable, protected: places, hidden }: SeatbeltPolicy): string[] {
  const folders = new Set<string>();
  for (const path of [...places, ...hidden]) {
    for (let at = path; at !== dirname(at); at = dirname(at)) {
      if (writable.some((folder) => at.startsWith(`${folder}/`))) folders.add(at);
    }
  }
  return [...folders];
}

function rule(head: string, filters: readonly string[]): string[] {
  return filters.length === 0 ? [] : [`(${head}\n  ${filters.join('\n  ')})`];
}

function service(name: string): string {
  if (!name.endsWith('*')) return `(global-name ${quoted(name)})`;
  const prefix = name.slice(0, -1).replace(/[\\^$.+?()[\]{}|*]/g, String.raw`\$&`);
  return `(global-name-regex #"^${prefix.replaceAll('"', '')}")`;
}

const subpath = (path: string) => `(subpath ${quoted(path)})`;
const literal = (path: string) => `(literal ${quoted(path)})`;

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
