import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { thirdPartyNotices } from './third-party-notices.ts';

function installed(manifest: { name: string; version: string; license?: string }, licence?: string): string {
  const root = mkdtempSync(join(tmpdir(), 'rondo-notices-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'node_modules', manifest.name);
  mkdirSync(join(folder, 'lib'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'lib', 'package.json'), '{ "type": "module" }');
  if (licence !== undefined) writeFileSync(join(folder, 'LICENSE'), licence);
  return join(folder, 'lib', 'index.js');
}

test('each bundled package stands once, with its licence', () => {
  const module = installed({ name: 'pine', version: '1.2.3', license: 'MIT' }, 'Copyright Pine');
  const notices = thirdPartyNotices([module, module.replace('index', 'other'), join(tmpdir(), 'ours.ts')]);
  expect(notices.match(/pine@1\.2\.3 \(MIT\)\n\nCopyright Pine/g)).toHaveLength(1);
});

test('a package without any licence is not bundled', () => {
  expect(() => thirdPartyNotices([installed({ name: 'oak', version: '1.0.0' })])).toThrow('names no licence');
});
