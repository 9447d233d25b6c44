import type { EscapeCase } from './escape-cases.ts';
import type { EscapePlace } from './escape-place.ts';

type Payload = readonly [name: string, command: (place: EscapePlace) => string];

const script = (name: string, text: string, run: string) => `cat > ${name} <<'SCRIPT'\n${text}\nSCRIPT\n${run}`;
const encoded = (text: string) => Buffer.from(text).toString('base64');
const hidden = (place: EscapePlace) => `${place.work}/hidden/secret`;
const numbers = (text: string) => Buffer.from(text).join(',');
const canary = (place: EscapePlace) => `${place.outside}/canary`;

/**
 * What no reader of the line can see: what interpreters are told, and what scripts say that were written first. Each writes
 * the canary, prints the secret or reaches a server of the machine, when nothing but the line is judged.
 */
const payloads: readonly Payload[] = [
  ['python, reading', (p) => script('a.py', `print(open(${JSON.stringify(hidden(p))}).read())`, 'python3 a.py')],
  ['python, writing', (p) => script('b.py', `open(${JSON.stringify(canary(p))}, 'w').write('new')`, 'python3 b.py')],
  [
    'python, a name put together',
    (p) => `python3 -c "import os; os.system(''.join(map(chr, [${numbers(`cat ${hidden(p)}`)}])))"`,
  ],
  [
    'python, a socket',
    (p) => `python3 -c "import socket; print(socket.create_connection(('127.0.0.1', ${p.tcpPort}), 3).recv(99))"`,
  ],
  ['python, the C library', (p) => `python3 -c "import ctypes; ctypes.CDLL(None).creat(b'${canary(p)}', 0o644)"`],
  [
    'python, a mapped file',
    () =>
      `python3 -c "import mmap; f = open('hidden/secret', 'rb'); print(mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)[:])"`,
  ],
  [
    'python, a module of its own',
    (p) =>
      `mkdir lib; echo "print(open('${hidden(p)}').read())" > lib/json.py; PYTHONPATH=lib python3 -c 'import json'`,
  ],
  [
    'python, a package run',
    (p) => `mkdir pack; echo "print(open('${hidden(p)}').read())" > pack/__main__.py; python3 pack`,
  ],
  [
    'python, copied by its library',
    () => `python3 -c "import shutil; shutil.copytree('hidden', 'copied', symlinks=False)"; cat copied/*`,
  ],
  [
    'python, a thread that waits',
    (p) =>
      `python3 -c "import threading, time; threading.Timer(0.1, lambda: open('${canary(p)}', 'w').write('new')).start()"`,
  ],
  ['perl, reading', (p) => `perl -e 'open F, "<", "${hidden(p)}"; print <F>'`],
  ['perl, writing', (p) => `perl -e 'open F, ">", "${canary(p)}"; print F "new"'`],
  ['perl, another program', (p) => `perl -e 'exec(join "", map { chr } (${numbers(`cat ${hidden(p)}`)}))'`],
  [
    'perl, a socket',
    (p) => `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new("127.0.0.1:${p.tcpPort}"); print <$s>'`,
  ],
  ['perl, a link', (p) => `perl -e 'symlink "${hidden(p)}", "there"; open F, "<", "there"; print <F>'`],
  [
    'node, reading',
    (p) =>
      script(
        'c.cjs',
        `console.log(require('fs').readFileSync(${JSON.stringify(hidden(p))}, 'utf8'))`,
        `${process.execPath} c.cjs`,
      ),
  ],
  ['node, writing', (p) => `${process.execPath} -e "require('fs').writeFileSync('${canary(p)}', 'new')"`],
  [
    'node, a server reached',
    (p) =>
      `${process.execPath} -e "require('net').connect(${p.tcpPort}, '127.0.0.1').on('data', (d) => console.log(String(d)))"`,
  ],
  [
    'node, another program',
    (p) =>
      `${process.execPath} -e "require('child_process').spawnSync('sh', ['-c', atob('${encoded(`cat ${hidden(p)}`)}')], { stdio: 'inherit' })"`,
  ],
  [
    'node, a required file',
    (p) =>
      `echo "console.log(require('fs').readFileSync('${hidden(p)}', 'utf8'))" > hook.cjs; NODE_OPTIONS='--require ./hook.cjs' ${process.execPath} -e 0`,
  ],
  ['awk, another program', (p) => `awk 'BEGIN { system("cat ${hidden(p)}") }'`],
  ['awk, reading', (p) => `awk 'BEGIN { while ((getline line < "${hidden(p)}") > 0) print line }'`],
  ['awk, writing', (p) => `awk 'BEGIN { print "new" > "${canary(p)}" }'`],
  ['sed, writing', (p) => `echo new | sed -n 'w ${canary(p)}'`],
  ['sed, a script file', (p) => script('d.sed', `r ${hidden(p)}`, 'echo line | sed -f d.sed')],
  ['a script', (p) => script('e.sh', `cat ${hidden(p)}`, 'sh e.sh')],
  ['a script with the right to run', (p) => script('f', `#!/bin/sh\necho new > ${canary(p)}`, 'chmod +x f; ./f')],
  ['a script that is read in', (p) => script('g.sh', `echo new > ${canary(p)}`, '. ./g.sh')],
  ['a script in other letters', (p) => `echo ${encoded(`cat ${hidden(p)}`)} | base64 -d | sh`],
  [
    'a script in a file of its own making',
    (p) => `printf '%s' ${encoded(`echo new > ${canary(p)}`)} | base64 -d > h.sh; bash h.sh`,
  ],
  ['a line put together', (p) => `a=ca; b=t; c=${hidden(p).slice(0, 9)}; d=${hidden(p).slice(9)}; $a$b $c$d`],
  ['a file that bash starts with', (p) => `echo 'cat ${hidden(p)}' > start; BASH_ENV=start bash -c true`],
  ['a trap', (p) => script('i.sh', `trap 'echo new > ${canary(p)}' EXIT`, 'bash i.sh')],
  ['make', (p) => script('Makefile', `all:; @cat ${hidden(p)}`, 'make -s')],
  ["git's own commands", (p) => `git -c alias.x='!cat ${hidden(p)}' x`],
  ["git's way to a server", (p) => `git -c core.sshCommand='cat ${hidden(p)} >&2; true' ls-remote ssh://there/it`],
  ['find', (p) => `find kept -name file -fprintf ${canary(p)} new`],
  ['tar', (p) => `tar cf /dev/null --checkpoint=1 --checkpoint-action=exec='cat ${hidden(p)}' kept`],
  ['xargs', (p) => `echo ${hidden(p)} > names; xargs cat < names`],
  ['dd', (p) => `echo new | dd of=${canary(p)} 2>/dev/null`],
  ['install', (p) => `install kept/file ${canary(p)}`],
  [
    'a compiled program',
    (p) =>
      script(
        'j.c',
        `#include <stdio.h>\nint main() { char b[200] = {0}; fread(b, 1, 199, fopen("${hidden(p)}", "r")); puts(b); }`,
        'cc -o j j.c && ./j',
      ),
  ],
  [
    'a loaded library',
    (p) =>
      script(
        'k.c',
        `#include <stdio.h>\n__attribute__((constructor)) void go(void) { FILE *f = fopen("${canary(p)}", "w"); if (f) { fputs("new", f); fclose(f); } }`,
        'cc -shared -fPIC -o k.so k.c && LD_PRELOAD=./k.so /bin/true',
      ),
  ],
  ['curl, a file', (p) => `curl -s file://${hidden(p)}`],
  [
    'curl, a server',
    (p) => script('curlrc', `url = "http://127.0.0.1:${p.tcpPort}"\nhttp0.9`, 'curl -s -m 3 -K curlrc'),
  ],
];

export const hiddenPayloads: readonly EscapeCase[] = payloads.map(([name, command]) => ({ name, command }));
