import { expect, test } from 'vitest';
import type { SettingsLayer } from '../settings/settings-layer.ts';
import { hookSources } from './hook-sources.ts';

const layer = (source: SettingsLayer['source'], more: Partial<SettingsLayer> = {}): SettingsLayer => ({
  source,
  name: `${source} of somewhere`,
  root: '/work',
  settings: { hooks: { Stop: [] } },
  hash: 'h',
  ...more,
});

test('the hooks of each source have a name of their own, without a folder of this machine', () => {
  const layers = [
    layer('user', { folder: 'rondo', path: '/home/me/.rondo/settings.json' }),
    layer('user', { folder: 'claude' }),
    layer('project', { folder: 'rondo', settings: {} }),
    layer('flag'),
    layer('flag', { name: '--settings' }),
    layer('managed', { path: '/etc/rondo/policy.json' }),
    layer('managed', { path: '/etc/rondo/policy.d/policy.json' }),
  ];
  expect(hookSources(layers).map(({ name }) => name)).toEqual([
    'user .rondo',
    'user .claude',
    'flag',
    'flag (2)',
    'managed policy.json',
    'managed policy.json (2)',
  ]);
});
