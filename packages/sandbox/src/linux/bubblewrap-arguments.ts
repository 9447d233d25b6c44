/** What bubblewrap is told beside what is mounted. */
export interface BubblewrapOptions {
  readonly mounts: readonly string[];
  /** What is mounted below /dev, which is made after the others. */
  readonly deviceMounts?: readonly string[];
  readonly cwd: string;
  /** The descriptor of the filter of system calls. */
  readonly filter?: number | undefined;
  /** The descriptor of a file where bubblewrap writes how far it came. */
  readonly status?: number;
  /** The /proc of the surroundings is shown, where a fresh one cannot be mounted. */
  readonly sharedProc: boolean;
  /** Set inside, and not for bubblewrap itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** A helper inside may make one more namespace, for which root has to keep one privilege. */
  readonly mayNest?: boolean;
  readonly command: readonly string[];
}

/**
 * A command in namespaces of its own: it sees no process, network, queue, or host name of the machine, has no privileges,
 * and ends with bubblewrap, which ends with whoever started it.
 */
export function bubblewrapArguments(options: BubblewrapOptions): string[] {
  const { mounts, deviceMounts = [], cwd, filter, status, sharedProc, env = {}, mayNest = false, command } = options;
  return [
    ...namespaces,
    ...privileges,
    ...(mayNest && process.geteuid?.() === 0 ? ['--cap-add', 'CAP_SETFCAP'] : []),
    '--ro-bind',
    '/',
    '/',
    ...mounts,
    '--dev',
    '/dev',
    ...deviceMounts,
    ...(sharedProc ? ['--ro-bind', '/proc', '/proc'] : ['--proc', '/proc', ...coverKernelFiles()]),
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    ...(status === undefined ? [] : ['--json-status-fd', String(status)]),
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    cwd,
    '--',
    ...command,
  ];
}

const namespaces = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--unshare-net',
];
const privileges = ['--die-with-parent', '--new-session', '--cap-drop', 'ALL'];

/**
 * Files of /proc that change the machine when they are written. The kernel lets their owner, who is root, also without any
 * privilege, and bubblewrap covers them only where their folder could be written.
 */
const kernelFiles = ['sys', 'sysrq-trigger', 'irq', 'bus', 'acpi', 'fs', 'scsi', 'mtrr', 'driver'];

function coverKernelFiles(): string[] {
  return kernelFiles.flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]);
}
