/** Folders that decide what runs or what is allowed: hooks, tasks of editors, settings of agents, keys of logins. */
const folders = new Set(['.rondo', '.claude', '.git', '.husky', '.vscode', '.idea', '.devcontainer', '.ssh']);

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
  '.envrc',
  '.gitconfig',
  '.gitmodules',
  '.mcp.json',
  '.claude.json',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.ripgreprc',
]);

/**
 * True for a place whose change could widen what the agent may do or run something later: a write to it is asked about
 * unless a rule names it. Letter case does not matter, since some file systems do not tell it.
 */
export function isProtectedPlace(path: string): boolean {
  const segments = path.toLowerCase().split('/');
  return segments.some((segment) => folders.has(segment)) || files.has(segments.at(-1) ?? '');
}
