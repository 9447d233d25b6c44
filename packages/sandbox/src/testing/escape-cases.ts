import type { EscapePlace } from './escape-place.ts';

/** One attempt to get at what a sandbox keeps away. It is one only if the same command succeeds outside of it. */
export interface EscapeCase {
  readonly name: string;
  /** A line of bash. It may print the secret, write where the place watches, or reach one of its servers. */
  readonly command: (place: EscapePlace) => string;
  /** What besides that is success. */
  readonly prints?: string;
  /** A line that runs in the sandbox before, to be there when the attempt is set up. */
  readonly before?: string;
  /** Why it is not tried outside: it needs privileges that not everybody has, or would harm the machine. */
  readonly onlyInside?: 'privileges' | 'harm';
}

type Row = readonly [
  name: string,
  command: EscapeCase['command'],
  prints?: string | undefined,
  onlyInside?: EscapeCase['onlyInside'],
  before?: string,
];

const python = (source: string) => `python3 - <<'PYTHON'\n${source}\nPYTHON`;
/** A system call by number, and whether the kernel did it. */
const call = (number: number, ...args: readonly (number | string)[]) =>
  python(`import ctypes
libc = ctypes.CDLL(None, use_errno=True)
result = libc.syscall(${[number, ...args].join(', ')})
print('done' if result >= 0 else 'refused: %d' % ctypes.get_errno())`);

const writing: readonly Row[] = [
  ['a file outside', ({ outside }) => `echo new > ${outside}/canary`],
  ['a file outside, by ..', () => `echo new > ../outside/canary`],
  ['a file outside, by a link that was there', () => `echo new > link-outside/canary`],
  ['a file outside, by a link of its own', ({ outside }) => `ln -s ${outside} own; echo new > own/canary`],
  [
    'a file outside, by links that take turns',
    ({ outside }) =>
      `(for i in $(seq 40); do ln -sfn ${outside} turn; ln -sfn . turn; done) & for i in $(seq 200); do echo new > turn/canary; done 2>/dev/null; ln -sfn ${outside} turn; echo new > turn/canary`,
  ],
  ['a file outside, from a folder outside', ({ outside }) => `cd ${outside} && echo new > canary`],
  ['a file outside, by /proc/self/root', ({ outside }) => `echo new > /proc/self/root${outside}/canary`],
  [
    'a file outside, by /proc/1/root',
    ({ outside }) => `echo new > /proc/1/root${outside}/canary`,
    undefined,
    'privileges',
  ],
  ['a file outside, by /proc/self/cwd', () => `echo new > /proc/self/cwd/../outside/canary`],
  [
    'a file outside, by the folder of a descriptor',
    () =>
      python(
        `import os\nfolder = os.open('.', os.O_RDONLY)\nfile = os.open('../outside/canary', os.O_WRONLY | os.O_CREAT, dir_fd=folder)\nos.write(file, b'new')`,
      ),
  ],
  ['a file outside that is moved there', ({ outside }) => `echo new > mine; mv mine ${outside}/canary`],
  ['a file outside, by a hard link', ({ outside }) => `ln ${outside}/file hard && echo new > hard`],
  ['a file outside, removed', ({ outside }) => `rm -f ${outside}/file`],
  ['a file outside, cut short', ({ outside }) => `truncate -s 0 ${outside}/file`],
  [
    'the mode of a file outside',
    ({ outside }) =>
      `chmod 700 ${outside}/file && test $(stat -c %a ${outside}/file) = 700 && echo done; chmod 644 ${outside}/file`,
    'done',
  ],
  ['the time of a file outside', ({ outside }) => `touch -d 2001-01-01 ${outside}/file && echo done`, 'done'],
  ['a file outside, by an open descriptor', ({ outside }) => `exec 9>>${outside}/canary && echo new >&9`],
  ['the home', ({ home }) => `echo new > ${home}/canary`],
  ['a start-up file of shells', ({ home }) => `echo evil > ${home}/.bashrc`],
  ["the machine's own /tmp", ({ canary }) => `echo new > /tmp/${canary}`],
  ["the machine's own /dev/shm", ({ canary }) => `echo new > /dev/shm/${canary}`],
  ['what denyWrite names', () => `echo new > kept/file`],
  ['something new in what denyWrite names', () => `echo new > kept/canary`],
  ['what denyWrite names, by a link', () => `ln -s kept other; echo new > other/file`],
  ['what denyWrite names, by a hard link', () => `ln kept/file hard2 && echo new > hard2`],
  ['what denyWrite names, moved away and made anew', () => `mv kept away; mkdir kept; echo new > kept/file`],
  ['what denyWrite names, removed and made anew', () => `rm -rf kept; mkdir -p kept; echo new > kept/file`],
  ['what denyWrite names, its folders moved away', () => `mv sub away2; mkdir -p sub/deep; echo new > sub/deep/kept`],
  [
    'what denyWrite names, its nearer folder moved away',
    () => `mv sub/deep sub/away; mkdir -p sub/deep; echo new > sub/deep/kept`,
  ],
  [
    'what denyWrite names, exchanged with another',
    () =>
      python(
        `import ctypes, os\nos.makedirs('evil/deep', exist_ok=True)\nopen('evil/deep/kept', 'w').write('new')\nctypes.CDLL(None).renameat2(-100, b'evil', -100, b'sub', 2)`,
      ),
  ],
  ['what denyWrite names and does not exist', () => `mkdir -p not-yet; echo new > not-yet/kept`],
  ['a git hook', () => `echo evil > .git/hooks/canary`],
  ['a git hook, its repository moved away', () => `mv .git away3; mkdir -p .git/hooks; echo evil > .git/hooks/canary`],
  ['a git hook of a nested repository', () => `echo evil > nested/.git/hooks/canary`],
  ['a git hook of a submodule', () => `echo evil > .git/modules/part/hooks/canary`],
  ['the configuration of a submodule', () => `echo evil > .git/modules/part/config`],
  [
    'git configuration',
    () => `git config core.fsmonitor 'touch evil' && git config --get core.fsmonitor`,
    'touch evil',
  ],
  ['settings that do not exist', () => `mkdir -p .rondo; echo '{}' > .rondo/settings.json`],
  [
    'settings that are a link, in place of it',
    () => `rm nested/.claude; mkdir nested/.claude; echo '{}' > nested/.claude/settings.json`,
  ],
  [
    'settings outside, where a link is put back',
    () => `rm nested/.claude; mv nested away5; ln -s ../outside nested`,
    undefined,
    'harm',
  ],
  [
    'a git hook, in a folder that was shut before',
    () => `chmod 700 nested; echo evil > nested/.git/hooks/canary`,
    undefined,
    undefined,
    'chmod 300 nested',
  ],
  ['settings of the other kind', () => `mkdir -p .claude; echo '{}' > .claude/settings.json`],
  ['servers that do not exist', () => `rmdir .mcp.json; echo '{}' > .mcp.json`],
];

const reading: readonly Row[] = [
  ['what denyRead names', () => `cat hidden/secret`],
  ['what denyRead names, absolute', ({ work }) => `cat ${work}/hidden/secret`],
  ['what denyRead names, by ..', () => `cat kept/../hidden/secret`],
  ['what denyRead names, by a link', () => `cat link-hidden/secret`],
  ['what denyRead names, by a link of its own', () => `ln -s hidden own2; cat own2/secret`],
  ['what denyRead names, by a hard link', () => `ln hidden/secret hard3; cat hard3`],
  ['what denyRead names, by /proc/self/root', ({ work }) => `cat /proc/self/root${work}/hidden/secret`],
  [
    'what denyRead names, by its folder',
    () => `cat hidden/*; tar c hidden | cat; grep -r secret- . ; cp -r hidden copy; cat copy/*`,
  ],
  ['what denyRead names, moved away', () => `mv hidden away4; cat away4/secret`],
  ['what a pattern of denyRead names', () => `cat nested/.env`],
  [
    'what a pattern of denyRead names, in a folder that was shut before',
    () => `chmod 700 nested; cat nested/.env`,
    undefined,
    undefined,
    'chmod 300 nested',
  ],
  ['what another pattern of denyRead names', () => `cat sub/a.key; cat sub/*`],
  ['a key of the person', ({ home }) => `cat ${home}/.ssh/id_rsa; cat ~/.ssh/*`],
  ['a file of the /tmp around', ({ temporaryFile }) => `cat ${temporaryFile}; cat /tmp/secret-*`],
  ['what denyRead names, by taking the mount off', () => `umount hidden; umount -l hidden; cat hidden/secret`],
  [
    'what denyRead names, in a namespace of its own',
    () => `unshare -Urm sh -c 'umount hidden; cat hidden/secret'; cat hidden/secret`,
  ],
];

const processes: readonly Row[] = [
  ['the environment of a process', ({ victim }) => `cat /proc/${victim.pid}/environ`],
  ['the environment of every process', () => `cat /proc/*/environ | tr '\\0' '\\n' | grep secret-`],
  ['the environment of the runtime', () => `head -c 1 /proc/${process.pid}/environ | grep -q . && echo done`, 'done'],
  [
    'the memory of a process',
    ({ victim }) =>
      python(
        `import re\npid = ${victim.pid}\nwith open(f'/proc/{pid}/mem', 'rb', 0) as memory:\n  for line in open(f'/proc/{pid}/maps'):\n    if 'stack' in line:\n      start, end = (int(part, 16) for part in line.split()[0].split('-'))\n      memory.seek(start)\n      print(re.findall(rb'secret-[0-9a-f-]+', memory.read(end - start)))`,
      ),
  ],
  ['the root of a process', ({ victim, outside }) => `echo new > /proc/${victim.pid}/root${outside}/canary`],
  [
    'a process, by its debugger',
    ({ victim }) =>
      python(
        `import ctypes\nlibc = ctypes.CDLL(None)\nprint('done' if libc.ptrace(16, ${victim.pid}, 0, 0) == 0 else 'refused')\nlibc.ptrace(17, ${victim.pid}, 0, 0)`,
      ),
    'done',
  ],
  ['a process, by a handle on it', ({ victim }) => call(434, victim.pid, 0), 'done'],
  ['a process, by a signal', ({ victim }) => `kill -0 ${victim.pid} && echo done`, 'done'],
  ['the list of processes', ({ victim }) => `ls /proc | grep -qx ${victim.pid} && echo done`, 'done'],
];

const network: readonly Row[] = [
  ['a server of this machine', ({ tcpPort }) => `exec 3<>/dev/tcp/127.0.0.1/${tcpPort}; cat <&3`],
  [
    'a server of this machine, by IPv6',
    ({ tcpPort }) => python(`import socket\nprint(socket.create_connection(('::1', ${tcpPort}), 3).recv(100))`),
  ],
  [
    'a server of this machine, by its own address',
    ({ tcpPort }) =>
      `for address in $(hostname -I) 127.0.0.2 0.0.0.0; do (exec 3<>/dev/tcp/$address/${tcpPort} && cat <&3); done`,
  ],
  ['a server of this machine, by its name', ({ tcpPort }) => `exec 3<>/dev/tcp/localhost/${tcpPort}; cat <&3`],
  [
    'a server of this machine, past a proxy',
    ({ tcpPort }) => `HTTP_PROXY= NO_PROXY='*' curl -sS --http0.9 -m 3 http://127.0.0.1:${tcpPort}`,
  ],
  ['a socket for datagrams', ({ udpPort }) => `echo canary > /dev/udp/127.0.0.1/${udpPort}; sleep 0.1`],
  [
    'a name server',
    ({ udpPort }) =>
      python(
        `import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\6canary\\4test\\0\\0\\1\\0\\1', ('127.0.0.1', ${udpPort}))\nimport time; time.sleep(0.1)`,
      ),
  ],
  [
    'a path socket outside',
    ({ sockets }) =>
      python(`import socket\ns = socket.socket(socket.AF_UNIX); s.connect('${sockets.outside}'); print(s.recv(100))`),
  ],
  [
    'a path socket in the session folder',
    ({ sockets }) =>
      python(`import socket\ns = socket.socket(socket.AF_UNIX); s.connect('${sockets.inside}'); print(s.recv(100))`),
  ],
  ['a path socket, by socat', ({ sockets }) => `socat - UNIX-CONNECT:${sockets.outside} < /dev/null`],
  [
    'an abstract socket',
    ({ abstractSocket }) =>
      python(`import socket\ns = socket.socket(socket.AF_UNIX); s.connect('\\0${abstractSocket}'); print(s.recv(100))`),
  ],
  [
    'an end of a pair of datagram sockets',
    () => python(`import socket\nsocket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); print('done')`),
    'done',
  ],
  [
    'sockets of the machine around a virtual one',
    () => python(`import socket\nsocket.socket(40, socket.SOCK_STREAM); print('done')`),
    'done',
    'privileges',
  ],
  [
    'raw packets',
    () => python(`import socket\nsocket.socket(17, socket.SOCK_RAW, 3); print('done')`),
    'done',
    'privileges',
  ],
  [
    'crypto sockets of the kernel',
    () => python(`import socket\nsocket.socket(38, socket.SOCK_SEQPACKET); print('done')`),
    'done',
    'privileges',
  ],
  [
    'a network interface of its own',
    () => `ip link add canary type dummy && echo done; ip link del canary`,
    'done',
    'privileges',
  ],
];

const kernel: readonly Row[] = [
  ['privileges of a setuid program', () => `grep -q '^NoNewPrivs:.0' /proc/self/status && echo done`, 'done'],
  ['capabilities', () => `grep -q '^Cap\\(Eff\\|Prm\\|Bnd\\):.*[1-9a-f]' /proc/self/status && echo done`, 'done'],
  ['a mount', ({ outside }) => `mkdir m; mount --bind ${outside} m && echo done; umount m`, 'done', 'privileges'],
  ['a writable root', ({ outside }) => `mount -o remount,rw,bind / ; echo new > ${outside}/canary`, undefined, 'harm'],
  [
    'an overlay',
    () => `mkdir u w o; mount -t overlay -o lowerdir=/,upperdir=u,workdir=w overlay o && echo done; umount o`,
    'done',
    'privileges',
  ],
  ['a user namespace', () => `unshare -U true && echo done`, 'done'],
  ['a user namespace, by the call itself', () => call(272, 0x10000000), 'done'],
  [
    'a user namespace, by clone3',
    () =>
      python(
        `import ctypes, struct\nargs = ctypes.create_string_buffer(struct.pack('8Q', 0x10000000, 0, 0, 0, 17, 0, 0, 0))\nlibc = ctypes.CDLL(None)\nresult = libc.syscall(435, args, 64)\nimport os\nif result == 0: os._exit(0)\nprint('done' if result > 0 else 'refused')`,
      ),
    'done',
  ],
  ['a sandbox of its own', () => `bwrap --ro-bind / / --unshare-user true && echo done`, 'done'],
  [
    "another process's namespaces",
    ({ victim }) => `nsenter -t ${victim.pid} -m true && echo done; nsenter -t 1 -m true && echo done`,
    'done',
    'privileges',
  ],
  ['another root', () => `chroot / true && echo done`, 'done', 'privileges'],
  [
    'device files',
    () => `mknod device c 1 5 && head -c 1 device > /dev/null && echo done; rm -f device`,
    'done',
    'privileges',
  ],
  [
    'devices of the machine',
    () => `ls /dev | grep -qE '^(mem|kmsg|port|[svx]d[a-z]|nvme|loop|kvm|fuse|net)' && echo done`,
    'done',
  ],
  [
    'a descriptor that was left open',
    () =>
      `for n in $(seq 4 63); do test -e /proc/$$/fd/$n && readlink /proc/$$/fd/$n; done | grep -v '^pipe:' && echo done`,
    'done',
    'harm',
  ],
  ['keys of the kernel', () => call(250, 0, -3, 1), 'done'],
  ['a new key of the kernel', () => call(248, 'b"user"', 'b"canary"', 'b"x"', 1, -2), 'done'],
  ['io_uring', () => call(425, 1, 'ctypes.create_string_buffer(120)'), 'done'],
  ['BPF', () => call(321, 0, 'ctypes.create_string_buffer(128)', 72), 'done', 'privileges'],
  ['page faults of its own', () => call(323, 1), 'done', 'privileges'],
  ['measuring other programs', () => call(298, 'ctypes.create_string_buffer(128)', 0, -1, -1, 0), 'done', 'privileges'],
  ['a file by its handle', () => call(304, -100, 'ctypes.create_string_buffer(128)', 0), 'done', 'privileges'],
  ['calls of the other table of numbers', () => call(0x40000000 + 39), 'done', 'privileges'],
  [
    'typing into a terminal',
    () =>
      python(
        `import fcntl, os, pty\nmaster, slave = pty.openpty()\nfor request in (0x5412, 0x541c):\n  try:\n    fcntl.ioctl(slave, request, b'x'); print('done')\n  except OSError: pass`,
      ),
    'done',
    'privileges',
  ],
  [
    'a setting of the kernel',
    () => `v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern && echo done`,
    'done',
    'privileges',
  ],
  ['the trigger of kernel commands', () => `: >> /proc/sysrq-trigger && echo done`, 'done', 'privileges'],
  [
    'a setting in /sys',
    () => `v=$(cat /sys/kernel/rcu_expedited); echo "$v" > /sys/kernel/rcu_expedited && echo done`,
    'done',
    'privileges',
  ],
  [
    'a control group',
    () => `mkdir /sys/fs/cgroup/rondo-canary && echo done; rmdir /sys/fs/cgroup/rondo-canary`,
    'done',
    'privileges',
  ],
  ['the name of the machine', () => `hostname "$(hostname)" && echo done`, 'done', 'privileges'],
  [
    'shared memory of the machine',
    () =>
      `for n in ipc uts pid net mnt user; do readlink /proc/self/ns/$n; done | grep -qxF -f namespaces && echo done`,
    'done',
  ],
];

/** Attempts by what a line of shell says itself. */
export const escapeCases: readonly EscapeCase[] = [
  ...toCases('writes', writing),
  ...toCases('reads', reading),
  ...toCases('gets at', processes),
  ...toCases('reaches', network),
  ...toCases('has', kernel),
];

function toCases(verb: string, rows: readonly Row[]): EscapeCase[] {
  return rows.map(([name, command, prints, onlyInside, before]) => ({
    name: `${verb} ${name}`,
    command,
    ...(prints === undefined ? {} : { prints }),
    ...(onlyInside === undefined ? {} : { onlyInside }),
    ...(before === undefined ? {} : { before }),
  }));
}
