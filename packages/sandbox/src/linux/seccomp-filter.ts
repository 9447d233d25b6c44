/** What a filter lets through beside what every filter does. */
export interface SeccompOptions {
  readonly unixSockets: boolean;
  /** For a helper inside that makes namespaces and mounts of its own and then forbids them, with Unix sockets, itself. */
  readonly nesting?: boolean;
}

/** The numbers of one architecture's system calls; undefined where it has no such call. */
interface Architecture {
  /** As the kernel tells it to filters. */
  readonly audit: number;
  readonly calls: Readonly<Record<Call, number | undefined>>;
}

type Call =
  | (typeof mounting)[number]
  | (typeof refused)[number]
  | 'socket'
  | 'socketpair'
  | 'clone'
  | 'clone3'
  | 'unshare'
  | 'ioctl';

/** Calls that make or change mounts. */
const mounting = [
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'setns',
  'open_tree',
  'move_mount',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'mount_setattr',
] as const;

/**
 * Calls by which a command could reach keys of the kernel that no namespace parts, or make sockets behind the filter's
 * back. All have other uses that a command can do without.
 */
const refused = [
  'keyctl',
  'add_key',
  'request_key',
  'bpf',
  'perf_event_open',
  'userfaultfd',
  'open_by_handle_at',
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'init_module',
  'finit_module',
  'delete_module',
  'kexec_load',
  'kexec_file_load',
  'swapon',
  'swapoff',
  'reboot',
  'acct',
  'quotactl',
] as const;

/** Numbers that all architectures share, being younger than the custom of having own ones. */
const younger = {
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  mount_setattr: 442,
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
} as const;

const architectures: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: {
    audit: 0xc000003e,
    calls: {
      ...younger,
      mount: 165,
      umount2: 166,
      pivot_root: 155,
      chroot: 161,
      setns: 308,
      keyctl: 250,
      add_key: 248,
      request_key: 249,
      bpf: 321,
      perf_event_open: 298,
      userfaultfd: 323,
      open_by_handle_at: 304,
      init_module: 175,
      finit_module: 313,
      delete_module: 176,
      kexec_load: 246,
      kexec_file_load: 320,
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      acct: 163,
      quotactl: 179,
      socket: 41,
      socketpair: 53,
      clone: 56,
      unshare: 272,
      ioctl: 16,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      ...younger,
      mount: 40,
      umount2: 39,
      pivot_root: 41,
      chroot: 51,
      setns: 268,
      keyctl: 219,
      add_key: 217,
      request_key: 218,
      bpf: 280,
      perf_event_open: 241,
      userfaultfd: 282,
      open_by_handle_at: 265,
      init_module: 105,
      finit_module: 273,
      delete_module: 106,
      kexec_load: 104,
      kexec_file_load: 294,
      swapon: 224,
      swapoff: 225,
      reboot: 142,
      acct: 89,
      quotactl: 60,
      socket: 198,
      socketpair: 199,
      clone: 220,
      unshare: 97,
      ioctl: 29,
    },
  },
};

const allow = 0x7fff0000;
const refusal = (errno: number) => 0x00050000 | errno;
const eperm = refusal(1);
const enosys = refusal(38);
/** User, mount, process, network, message, host name, cgroup and time namespaces. */
const namespaceFlags = 0x7e020080;
const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
const seqpacket = 5;
const stream = 1;
/** TIOCSTI and TIOCLINUX type into a terminal. */
const typingRequests = [0x5412, 0x541c];

/** Where the kernel puts what a filter looks at. Arguments are 64 bits each, their lower half first. */
const offsets = { call: 0, architecture: 4, argument: (index: number) => 16 + 8 * index } as const;

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const mask = (bits: number): Instruction => [0x54, 0, 0, bits];
const give = (verdict: number): Instruction => [0x06, 0, 0, verdict];
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * The filter of a command's system calls, as the program that bubblewrap hands to the kernel; undefined on an architecture
 * that it does not know. Sockets are of the internet or the kernel's own, and where they are allowed of this machine; the
 * two ends of a pair that talk to nobody else always are. Programs of another architecture do not run.
 */
export function seccompFilter(
  { unixSockets, nesting = false }: SeccompOptions,
  architecture: NodeJS.Architecture = process.arch,
): Buffer | undefined {
  const known = architectures[architecture];
  if (known === undefined) return undefined;
  const { audit, calls } = known;
  const allowedFamilies = [families.inet, families.inet6, families.netlink, ...(unixSockets ? [families.unix] : [])];
  const program = [
    load(offsets.architecture),
    ...unless(audit, [give(enosys)]),
    load(offsets.call),
    // The third ABI of x86-64, whose numbers are the same with a bit set.
    ...(architecture === 'x64' ? atLeast(0x40000000, [give(enosys)]) : []),
    ...[...refused, ...(nesting ? [] : mounting)].flatMap((name) => on(calls[name], [give(eperm)])),
    // Its flags are in memory, where a filter cannot look; libraries then use clone.
    ...on(calls.clone3, [give(enosys)]),
    ...(nesting ? [] : [calls.clone, calls.unshare]).flatMap((call) =>
      on(call, [load(offsets.argument(0)), mask(namespaceFlags), ...unless(0, [give(eperm)]), give(allow)]),
    ),
    ...on(calls.ioctl, [
      load(offsets.argument(1)),
      ...typingRequests.flatMap((request) => on(request, [give(eperm)])),
      give(allow),
    ]),
    ...on(calls.socket, [
      load(offsets.argument(0)),
      ...allowedFamilies.flatMap((family) => on(family, [give(allow)])),
      give(eperm),
    ]),
    // An end of a pair of datagram sockets may send to any address.
    ...on(calls.socketpair, [
      ...(unixSockets ? [give(allow)] : []),
      load(offsets.argument(1)),
      mask(0xf),
      ...[stream, seqpacket].flatMap((type) => on(type, [give(allow)])),
      give(eperm),
    ]),
    give(allow),
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  }
  return bytes;
}

/** Does `then` when the loaded value is this one, which nothing is that does not exist. */
function on(value: number | undefined, then: readonly Instruction[]): Instruction[] {
  return value === undefined ? [] : [[0x15, 0, then.length, value], ...then];
}

function unless(value: number, then: readonly Instruction[]): Instruction[] {
  return [[0x15, then.length, 0, value], ...then];
}

function atLeast(value: number, then: readonly Instruction[]): Instruction[] {
  return [[0x35, 0, then.length, value], ...then];
}
