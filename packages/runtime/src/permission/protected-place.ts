/** Folders that decide what runs or what is allowed: hooks, tasks of editors, settings of agents, keys of logins. */
const folders = new Set(
  '.rondo .claude .git .githooks .husky .vscode .cursor .zed .idea .devcontainer .ssh .direnv'.split(' '),
);

/** Files that a shell, a version control or an agent reads orders from. */
const files = new Set([
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  'config.fish',
  '.bash_aliases',
  '.inputrc',
  '.xprofile',
  '.xinitrc',
  '.vimrc',
  '.exrc',
  '.nvim.lua',
  '.envrc',
  '.pnpmfile.cjs',
  '.pre-commit-config.yaml',
  '.gitconfig',
  '.gitmodules',
  '.mcp.json',
  '.claude.json',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.ripgreprc',
]);

/** Folders of the machine and of the home that decide the same for everybody, or start what stands in them. */
const places = ['/etc/rondo', '/etc/claude-code', '/etc/cron', '/etc/profile', '/etc/sudoers', '/var/spool/cron'];
const homePlaces =
  /\/\.config\/(?:git|fish|autostart|systemd|environment\.d)(?:\/|$)|\/library\/launch(?:agents|daemons)(?:\/|$)/;

/**
 * True for a place whose change could widen what the agent may do or run something later: a write to it is asked about
 * unless a rule names it. Letter case does not matter, since some file systems do not tell it.
 */
export function isProtectedPlace(path: string): boolean {
  const folded = path.toLowerCase();
  const segments = folded.split('/');
  if (places.some((place) => folded.startsWith(place)) || homePlaces.test(folded)) return true;
  return segments.some((segment) => folders.has(segment)) || files.has(segments.at(-1) ?? '');
}
