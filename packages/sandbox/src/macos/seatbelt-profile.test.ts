import { expect, it } from 'vitest';
import { seatbeltProfile, type SeatbeltPolicy } from './seatbelt-profile.ts';

const policy: SeatbeltPolicy = {
  writable: ['/work'],
  protected: ['/work/.git/hooks', '/work/.rondo'],
  hidden: ['/home/me/.ssh', '/work/a/secret'],
  shown: ['/home/me/.ssh/known_hosts'],
  proxyPorts: [],
  localBinding: false,
  unixSockets: 'none',
  machServices: [],
};

/** The verdict on an act at a path by the last rule that is about it, as Seatbelt finds it. */
function verdict(profile: string, act: string, path: string): string | undefined {
  const rules = profile.split(/\n(?=\()/);
  return rules
    .filter((rule) => {
      const [, name = ''] = /^\((?:allow|deny) ([\w*-]+)/.exec(rule) ?? [];
      if (name !== 'default' && name !== act && !(name.endsWith('*') && act.startsWith(name.slice(0, -1))))
        return false;
      const filters = [...rule.matchAll(/\((subpath|literal) "([^"]*)"\)/g)];
      return (
        filters.length === 0 ||
        filters.some(([, kind, place = '']) => path === place || (kind === 'subpath' && path.startsWith(`${place}/`)))
      );
    })
    .at(-1)
    ?.slice(1, 6)
    .trim();
}

it('lets write the session folder, not what is protected in it, nor move away what is around that', () => {
  const profile = seatbeltProfile(policy);
  expect(verdict(profile, 'file-write-data', '/work/file')).toBe('allow');
  expect(verdict(profile, 'file-write-data', '/work/.rondo/settings.json')).toBe('deny');
  expect(verdict(profile, 'file-write-data', '/work/.git/hooks/post-commit')).toBe('deny');
  expect(verdict(profile, 'file-write-unlink', '/work/.git')).toBe('deny');
  expect(verdict(profile, 'file-write-unlink', '/work/a')).toBe('deny');
  expect(verdict(profile, 'file-write-unlink', '/work/other')).toBe('allow');
  expect(verdict(profile, 'file-write-data', '/etc/hosts')).toBe('deny');
  expect(verdict(profile, 'file-write-data', '/dev/null')).toBe('allow');
});

it('hides places, and shows what is deeper and named', () => {
  const profile = seatbeltProfile(policy);
  expect(verdict(profile, 'file-read-data', '/home/me/.ssh/id_rsa')).toBe('deny');
  expect(verdict(profile, 'file-read-data', '/home/me/.ssh/known_hosts')).toBe('allow');
  expect(verdict(profile, 'file-read-data', '/work/a/secret')).toBe('deny');
  expect(verdict(profile, 'file-read-data', '/usr/bin/true')).toBe('allow');
});

it('has no network but the proxy, and of Unix sockets and services only those that are named', () => {
  expect(seatbeltProfile(policy)).not.toContain('(allow network');
  const open = seatbeltProfile({
    ...policy,
    proxyPorts: [4711, 4712],
    localBinding: true,
    unixSockets: ['/var/run/docker.sock'],
    machServices: ['com.example.one', 'com.example.more.*'],
  });
  expect(open).toContain('(allow network-outbound (remote ip "localhost:4711"))');
  expect(open).toContain('(allow network-outbound (remote ip "localhost:4712"))');
  expect(open).toContain('(allow network-bind (local ip "localhost:*"))');
  expect(open).toContain('(remote unix-socket (path-literal "/var/run/docker.sock"))');
  expect(open).toContain('(global-name "com.example.one")');
  expect(open).toContain(String.raw`(global-name-regex #"^com\.example\.more\.")`);
});

it('quotes what a path could say in its language', () => {
  const profile = seatbeltProfile({ ...policy, writable: ['/work") (allow default) ("'] });
  expect(profile).toContain(String.raw`(subpath "/work\") (allow default) (\"")`);
});
