import type { PolicyRule } from './policy.ts';
import { todaysName } from './rule-kind.ts';

/** Programs that run what they are given: another program, code, or what they fetch. */
const runners = new Set(
  [
    'sudo doas su run0 pkexec env xargs parallel timeout nice ionice nohup setsid stdbuf time watch',
    'command builtin exec eval source . chroot unshare nsenter flock script expect strace ltrace gdb',
    'busybox toybox ssh at batch systemd-run sh bash zsh dash ksh fish csh tcsh pwsh powershell cmd',
    'python python2 python3 node deno bun ruby perl php lua tclsh osascript Rscript npx bunx pnpx uvx',
    'pipx tsx ts-node awk gawk curl wget docker podman kubectl',
  ].flatMap((line) => line.split(' ')),
);

/** Programs whose whole job is to start another one: who allows them with any arguments allows that one. */
const wrappers = new Set(
  [
    'sudo doas su run0 pkexec env xargs parallel timeout nice ionice nohup setsid stdbuf time watch',
    'command builtin exec eval chroot unshare nsenter flock busybox toybox ssh systemd-run sh bash zsh',
    'dash ksh fish cmd powershell pwsh npx',
  ].flatMap((line) => line.split(' ')),
);

export function isWrapper(name: string): boolean {
  return wrappers.has(baseName(name));
}

export function baseName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** Why an allow rule is a grant of arbitrary code; undefined for one that is none. */
export function grantedCode({
  toolName,
  content,
  literal,
}: Pick<PolicyRule, 'toolName' | 'content' | 'literal'>): string | undefined {
  const today = todaysName(toolName);
  if (today !== 'Bash' && today !== 'PowerShell') return undefined;
  if (content === undefined) return 'it allows every command: a grant of arbitrary code';
  if (literal === true || !content.includes('*')) return undefined;
  const words = content
    .replace(/(?::\*| \*)$/, '')
    .split(/\s+/)
    .filter((word) => !/^\w+=/.test(word));
  const [name = '', ...rest] = words;
  if (name.startsWith('*')) return 'its command may be any: a grant of arbitrary code';
  // With a script or a subcommand behind its name, that is what is granted.
  const isOpen = rest.every((word) => /^["'*-]/.test(word));
  if (!runners.has(baseName(name)) || !isOpen) return undefined;
  return `${name} runs whatever it is given: a grant of arbitrary code`;
}
