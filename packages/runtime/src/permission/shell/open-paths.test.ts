import { expect, test } from 'vitest';
import { analyzeShellLine } from './analyze-shell-line.ts';
import type { ShellCommand, ShellPath } from './shell-line.ts';

/** `r:` and `w:`, with `/**` behind a tree, `?` for what only running tells and `~/` for what lies at home. */
function pathsIn(text: string): string {
  const shown = ({ access, path, fromHome, below, tree }: ShellPath): string =>
    `${access[0]}:${path ?? (fromHome === undefined ? (below === undefined ? '?' : `${below}/?`) : `~/${fromHome}`)}${tree === true ? '/**' : ''}`;
  const all = ({ paths, runs }: ShellCommand): string[] => [...paths.map(shown), ...runs.flatMap(all)];
  return [...new Set(analyzeShellLine(text).commands.flatMap(all))].toSorted().join(' ');
}

test.each([
  ['a > x', 'w:x'],
  ['a >> x 2> y', 'w:x w:y'],
  ['a >| x; b &> y; c &>> z; d >& v', 'w:v w:x w:y w:z'],
  ['a < x', 'r:x'],
  ['a <> x', 'w:x'],
  ['a 2>&1 >&2 <&0 >&- 2>/dev/null <<< x', ''],
  ['a {fd}> x', 'w:x'],
  ['{ a; } > x; for i in 1; do b; done < y', 'r:y w:x'],
  ['> x', 'w:x'],
  ['a > "$X"', 'w:?'],
  ['a > ~/x < ~/.ssh/id', 'r:~/.ssh/id w:~/x'],
  ["a > '~/x'", 'w:./~/x'],
  ['a > "x y"z', 'w:x yz'],
  ['cat x ../y /z', 'r:../y r:/z r:x'],
  ['cat ~/.ssh/id "$HOME/x" ~bob/y', 'r:? r:~/.ssh/id'],
  ['cat src/*.ts *.md /etc/*', 'r:./? r:/etc/? r:src/?'],
  ['cat src/*/../x', 'r:?'],
  ['cat - /dev/null /dev/stdin', ''],
  ['cat file:///etc/passwd', 'r:/etc/passwd'],
  ['head -n 5 x; tail -c3 y; wc -l z; tac v', 'r:v r:x r:y r:z'],
  ['grep p x; grep -e p y; grep -f q z', 'r:q r:x r:y r:z'],
  ['grep -r p; grep -rn p src; rg p; rg p lib; rg --files d', 'r:./** r:d/** r:lib/** r:src/**'],
  ['find a b -name x; find -name y; find c -delete', 'r:./** r:a/** r:b/** r:c/** w:c/**'],
  ['find . -fprint x', 'r:./** w:x'],
  ['find d -exec cat {} \\;', 'r:? r:d/**'],
  ['cp a b; cp -t d e f', 'r:a/** r:e/** r:f/** w:b/** w:d/**'],
  ['mv a b', 'r:a/** w:a/** w:b/**'],
  ['ln a b', 'r:a/** w:a/** w:b/**'],
  ['ln -s a b', 'r:a/** r:b/a/** w:a/** w:b/** w:b/a/**'],
  ['install -m 755 a b; install -d c', 'r:a/** w:b/** w:c/**'],
  ['rm -rf a b', 'w:a/** w:b/**'],
  ['touch a; mkdir -p -m 700 b; rmdir c; truncate -s 0 d; tee -a e', 'w:a w:b w:c w:d w:e'],
  ['touch -r a b', 'r:a w:b'],
  ['chmod -R 755 a; chown u:g b; chmod --reference=c d', 'r:c w:a/** w:b w:d'],
  ['sed -i s/a/b/ x; sed p y', 'r:x r:y w:x'],
  ['sort -o a b; sort --output=c d', 'r:b r:d w:a w:c'],
  ['uniq a b', 'r:a w:b'],
  ['dd if=a of=b', 'r:a w:b'],
  ['git -C x log; git diff a -- b; git show HEAD:c', 'r:a r:b/** r:c/** r:x'],
  ['git diff --output=o; git mv a b; git clone u d', 'w:a/** w:b/** w:d/** w:o'],
  ['curl -o a -T b -d @c -F x=@d http://h file:///e', 'r:/e/** r:b r:c r:d w:a'],
  ['curl -O http://h', 'w:./**'],
  ['wget http://h; wget -O a http://h', 'w:./** w:a'],
  ['tar czf a.tgz b c; tar xf d -C e; tar tf f', 'r:b/** r:c/** r:d r:f w:a.tgz w:e/**'],
  ['tar xPf a', 'r:a w:./** w:?'],
  ['unzip a -d b; gzip c', 'r:a/** w:b/** w:c'],
  ['rsync -a a h:b; rsync h:c d; scp e h:f', 'r:a/** r:e/** w:d/**'],
  ['time cat b', 'r:b'],
  ['command time -o a cat b', 'r:b w:a'],
  ['xargs -a a cat', 'r:? r:a'],
  ['python a.py; bash b.sh; source c', 'r:a.py r:b.sh r:c'],
  ['vim a; less b', 'r:a r:b'],
])('%j opens %j', (text, paths) => {
  expect(pathsIn(text)).toBe(paths);
});

test.each([
  ['cd x && cat y', 'r:x r:x/y'],
  ['cd x; cat y', 'r:x r:x/y r:y'],
  ['cd x || cat y', 'r:x r:y'],
  ['cd /x && cd y/.. && cat ./z', 'r:/x r:/x/./z r:/x/y/..'],
  ['cd .. && cat x', 'r:.. r:../x'],
  ['cd x && cat ../y', 'r:x r:x/../y'],
  ['cd ~/x && cat y', 'r:~/x r:~/x/y'],
  ['cd && cat y', 'r:~/y'],
  ['cd $X && cat y /z', 'r:/z r:?'],
  ['cd - && cat y', 'r:?'],
  ['(cd x && cat y); cat z', 'r:x r:x/y r:z'],
  ['{ cd x && cat y; }; cat z', 'r:x r:x/y r:x/z r:z'],
  ['cd x | cat y; cat z', 'r:x r:y r:z'],
  ['cd x & cat y', 'r:x r:y'],
  ['pushd x && cat y && popd && cat z', 'r:? r:x r:x/y'],
  ['if cd x; then cat y; else cat z; fi', 'r:x r:x/y r:z'],
  ['for d in a b; do cd $d; cat y; done', 'r:?'],
  ['cat a; for f in b; do cat c; done', 'r:a r:c'],
  ['f() { cd x; }; f; cat y', 'r:?'],
  ['eval "cd x"; cat y', 'r:?'],
  ['$X; cat y', 'r:?'],
  ['cd x; $X; cat y', 'r:? r:x'],
  ['builtin cd x && cat y', 'r:x r:x/y'],
  ['echo $(cd x && cat y) && cat z', 'r:x r:x/y r:z'],
  ["bash -c 'cd x && cat y'; cat z", 'r:x r:x/y r:z'],
  ['cd x && bash -c "cat y"', 'r:x r:x/y'],
  ['env -C x cat y; sudo -D z cat v', 'r:x/y r:z/v'],
  ['cd x && cd y && a > z', 'r:x r:x/y w:x/y/z'],
  ['! cd x && cat y', 'r:x r:y'],
])('a folder is followed: %j opens %j', (text, paths) => {
  expect(pathsIn(text)).toBe(paths);
});

test('paths by argument are told from those by redirect', () => {
  const [command] = analyzeShellLine('cat a > b').commands;
  expect(command?.paths).toEqual([
    { access: 'write', path: 'b' },
    { access: 'read', path: 'a', argument: true },
  ]);
});
