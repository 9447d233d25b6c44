import type { WrapperRow } from './wrapper-program.ts';

/** Programs that run the command which their arguments are. Those with a grammar of their own are in other files. */
export const wrappingPrograms: readonly WrapperRow[] = [
  {
    names: 'timeout gtimeout',
    flags: '-s= --signal= -k= --kill-after= -v --verbose -p -f --foreground --preserve-status --help. --version.',
    before: 'word',
    passes: true,
  },
  {
    names: 'nice gnice',
    flags: '-n= --adjustment= -0? -1? -2? -3? -4? -5? -6? -7? -8? -9? --help. --version.',
    passes: true,
  },
  { names: 'ionice', flags: '-c= --class= -n= --classdata= -t --ignore -p. --pid. -P. -u. --help.', passes: true },
  { names: 'nohup', flags: '--help. --version.', passes: true },
  { names: 'setsid', flags: '-c --ctty -f --fork -w --wait --help.', passes: true },
  { names: 'stdbuf gstdbuf', flags: '-i= --input= -o= --output= -e= --error= --help.', passes: true },
  {
    names: 'time gtime',
    flags: '-a --append -f= --format= -o> --output> -p --portability -q --quiet -v --verbose -l -h -V.',
    passes: true,
  },
  { names: 'command', flags: '-p -v. -V.', passes: true },
  { names: 'builtin', flags: '', passes: true },
  { names: 'jobs', flags: '-l. -n. -p. -r. -s. -x', passes: true },
  { names: 'exec', flags: '-c -l -a=', passes: true },
  { names: 'caffeinate', flags: '-d -i -m -s -u -t= -w=', passes: true },
  { names: 'busybox toybox', flags: '--help. --list. --list-full.', passes: true },
  { names: 'unbuffer', flags: '-p', passes: true },
  {
    names: 'watch',
    flags:
      '-b --beep -c --color -C -d? --differences? -e --errexit -f -g --chgexit -n= --interval= -p --precise -q= --equexit= -r -t --no-title -w -x! --exec!',
    passes: true,
    joins: true,
  },
  { names: 'entr', flags: '-a -c -d -n -p -r -s -x -z', passes: true, joinsWith: '-s', interactive: true },
  {
    names: 'chrt',
    flags:
      '-a -b -d -f -i -m. -o -p. -r -R -v -T= -P= -D= --all-tasks --batch --fifo --idle --other --rr --max. --pid. --reset-on-fork',
    before: 'word',
    passes: true,
  },
  { names: 'taskset', flags: '-a --all-tasks -c --cpu-list -p. --pid.', before: 'word', passes: true },
  {
    names: 'prlimit',
    flags:
      '-p. --pid. -c? -d? -e? -f? -i? -l? -m? -n? -q? -r? -s? -t? -u? -v? -x? -y? --core? --cpu? --nofile? --nproc? --as? --data? --fsize? --stack?',
    passes: true,
  },

  // From here on the command runs as somebody else, somewhere else, or watched: a rule for it alone does not cover that.
  {
    names: 'sudo',
    flags:
      '-A --askpass -b --background -B --bell -E --preserve-env? -H --set-home -k --reset-timestamp -K. -l. --list. -n --non-interactive -N -P --preserve-groups -S --stdin -v. --validate. -V. --version. -C= --close-from= -D/ --chdir/ -g= --group= -h= --host= -p= --prompt= -r= --role= -R! --chroot! -t= --type= -T= --command-timeout= -u= --user= -U= --other-user= -e! --edit! -i! --login! -s! --shell!',
    assigns: true,
    passes: false,
  },
  { names: 'doas', flags: '-L. -n -s! -u= -a= -C!', passes: false, interactive: true },
  { names: 'pkexec', flags: '--user= --disable-internal-agent --keep-cwd', passes: false, interactive: true },
  { names: 'gosu su-exec', flags: '', before: 'word', passes: false, interactive: true },
  {
    names: 'setpriv',
    flags:
      '* --reuid= --regid= --groups= --inh-caps= --ambient-caps= --bounding-set= --securebits= --pdeathsig= --selinux-label= --apparmor-profile=',
    passes: false,
    interactive: true,
  },
  { names: 'chroot', flags: '--groups= --userspec= --skip-chdir', before: 'read', passes: false, interactive: true },
  {
    names: 'unshare',
    flags:
      '-c --map-current-user -f --fork -r --map-root-user -m? --mount? -u? --uts? -i? --ipc? -n? --net? -p? --pid? -U? --user? -C? --cgroup? -T? --time? --mount-proc? --kill-child? --propagation= --setgroups= --map-user= --map-group= --map-users= --map-groups= --map-auto --keep-caps -R! --root! -w/ --wd/ -S= --setuid= -G= --setgid= --monotonic= --boottime=',
    passes: false,
    interactive: true,
  },
  {
    names: 'nsenter',
    flags:
      '-a --all -t= --target= -m? --mount? -u? --uts? -i? --ipc? -n? --net? -p? --pid? -U? --user? -C? --cgroup? -T? --time? -S? --setuid? -G? --setgid? --preserve-credentials -F --no-fork -Z -r! --root! -w! --wd! -e',
    passes: false,
    interactive: true,
  },
  {
    names: 'strace',
    flags:
      '-c -C -d -D -DD -DDD -f -ff --follow-forks? -F -h. -i -k -n -N -q -qq -r -t -tt -ttt -T -v -V. -w -x -xx -y -yy -z -Z -a= -A -b= -e= -E= -I= -o> --output> -O= -p. -P= -s= -S= -u= -U= -X= --trace= --attach.',
    passes: false,
  },
  {
    names: 'ltrace',
    flags: '-c -C -f -i -L -r -S -t -tt -ttt -T -b -a= -A= -D= -e= -F= -l= -n= -o> -p. -s= -u= -w= -x= -V.',
    passes: false,
  },
  { names: 'cross-env', flags: '', assigns: true, passes: true },
  { names: 'cross-env-shell', flags: '', assigns: true, joins: true, passes: true },
];

/**
 * Programs that run others in ways that no row here tells: none of their arguments is known to be the command, and no
 * rule for what they may run is enough. The person is asked, always.
 */
export const otherWrappers: readonly string[] = [
  'firejail bwrap systemd-run systemd-inhibit systemd-nspawn machinectl dbus-run-session dbus-launch xvfb-run rlwrap proxychains proxychains4 torsocks torify tsocks',
  'fakeroot fakechroot catchsegv cpulimit capsh sg newgrp dumb-init tini chpst softlimit eatmydata cgexec numactl setarch linux32 linux64 arch arch-chroot',
  'setuidgid envdir envuidgid setlock s6-setuidgid with-contenv start-stop-daemon daemonize runit runsv at batch crontab ts chronic ifne pee sem',
  'hyperfine valgrind perf gdb lldb rr heaptrack bpftrace dtruss dtrace sandbox-exec xcrun screen tmux tmate zellij dtach abduco reptyr',
  'dotenv env-cmd envchain aws-vault op doppler chamber infisical teller sops concurrently nodemon npm-run-all run-s run-p onchange chokidar watchexec reflex guard foreman overmind pm2 forever',
  'expect autoexpect sftp sshpass autossh pssh pdsh parallel-ssh ansible salt fab telnet rsh rlogin rexec socat nc ncat netcat inetd xinetd cu wine proot qemu-user ld.so ld-linux.so.2 ld-linux-x86-64.so.2',
]
  .join(' ')
  .split(' ');
