import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../settings/settings.ts';
import type { LayerSource } from '../settings/settings-layer.ts';
import { protectedPlaces } from './protected-places.ts';

function setUp(files: readonly string[] = []) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'rondo-protected-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [folder, userHome] = [join(root, 'work'), join(root, 'me')];
  mkdirSync(folder);
  mkdirSync(userHome);
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const home = join(userHome, '.rondo');
  const of = (settings: Settings, source: LayerSource = 'user') =>
    protectedPlaces({
      layers: [{ source, name: source, root: folder, settings, hash: '' }],
      folder,
      userHome,
      home,
    })
      .filter((path) => path !== home)
      .map((path) => path.replace(`${root}/`, ''));
  const hook = (command: string) =>
    of({ hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] } });
  return { root, folder, of, hook };
}

const files = ['work/tools/check.sh', 'work/package.json', 'me/bin/guard', 'elsewhere/x.py', 'work/dist/index.js'];

test.each<[string, readonly string[]]>([
  ['./tools/check.sh --now', ['work/tools/check.sh']],
  ['tools/check.sh', ['work/tools/check.sh']],
  ['"$CLAUDE_PROJECT_DIR"/tools/check.sh', ['work/tools/check.sh']],
  ['cd tools && ./check.sh', ['work/tools/check.sh']],
  ['cat tools/*.sh | sh', ['work/tools']],
  ['~/bin/guard', ['me/bin/guard']],
  ['"$HOME/bin/guard"', ['me/bin/guard']],
  [`sh \${HOME}/bin/guard`, ['me/bin/guard']],
  ['python3 ../elsewhere/x.py', ['elsewhere/x.py']],
  ['npm run check', ['work/package.json']],
  ['node dist', ['work/dist/index.js']],
  ['sh later/not-there.sh', ['work/later/not-there.sh']],
  ['~/later.d/guard', ['me/later.d/guard']],
  ['echo done', []],
  ['cd / && cd . && cd .. && ls ~', []],
  ['curl https://example.org/hook', []],
])('a hook %j protects %j', (command, expected) => {
  expect(setUp(files).hook(command)).toEqual(expected);
});

test.each<LayerSource>(['user', 'project', 'local', 'flag', 'managed'])('of the %s layer as of any other', (source) => {
  const { of } = setUp(files);
  const settings = {
    env: { NODE_OPTIONS: '--require=./tools/check.sh', PATH: '~/bin:/usr/bin', ONLY: 'text' },
    apiKeyHelper: '~/key.d/print',
    statusLine: { type: 'command', command: './dist/index.js' },
    permissions: { allow: ['Bash(./allowed/tool.sh:*)'] },
  };
  const places = of(settings, source);
  for (const place of ['work/tools/check.sh', 'me/bin', 'me/key.d/print', 'work/dist/index.js'])
    expect(places).toContain(place);
  expect(places).not.toContain('work');
  expect(places).not.toContain('work/allowed/tool.sh');
});

test('a link is protected, and so is what it leads to', () => {
  const { root, folder, hook } = setUp(files);
  symlinkSync(join(root, 'elsewhere'), join(folder, 'linked'));
  expect(hook('python3 linked/x.py')).toEqual(['work/linked/x.py', 'elsewhere/x.py']);
});
