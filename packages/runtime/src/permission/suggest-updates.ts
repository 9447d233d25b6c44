import type { PermissionRuleValue, PermissionUpdate } from '@rondo/protocol';
import type { CommandReport } from './cover-line.ts';
import { isInDirectories, isProtectedWrite, type JudgedCall } from './judged-call.ts';
import type { JudgedPath } from './judged-paths.ts';
import { isWithin, parentPath } from './lexical-path.ts';
import { exactRule, spellPath } from './session-rule.ts';
import { suggestShellRule } from './suggest-shell-rule.ts';

/** What a person who allows the call may want to allow with it. Empty where nothing would spare the next question. */
export function suggestUpdates(call: JudgedCall, commands?: readonly CommandReport[]): PermissionUpdate[] {
  const { tool, access, paths } = call;
  if (tool.ruleContent === 'command') return suggestForLine(call, commands ?? []);
  const outside = paths.paths.filter((path) => !isInDirectories(path, call));
  if (tool.ruleContent === 'path' && paths.paths.some(({ access: kind }) => kind === 'write')) {
    return foldersAndMode(outside, call);
  }
  if (tool.ruleContent === 'path' && outside.length > 0) {
    const rules = formsOf(outside).map((form) => exactRule(tool.name, spellPath(form)));
    return [{ type: 'addRules', behavior: 'allow', rules, destination: 'session' }];
  }
  if (tool.ruleContent === 'url') {
    const hosts = [...new Set((access.urls ?? []).map(hostOf))].filter((host) => host !== undefined);
    const rules = hosts.map((host) => ({ toolName: tool.name, ruleContent: `domain:${host}` }));
    return rules.length === 0 ? [] : [toSettings(rules)];
  }
  if (tool.ruleContent === 'name' && access.names !== undefined && access.names.length > 0) {
    return [toSettings(access.names.map((name) => ({ toolName: tool.name, ruleContent: name })))];
  }
  return [toSettings([{ toolName: tool.name }])];
}

/** A rule for each command that none allows, and the folders and the mode that let it open its files. */
function suggestForLine(call: JudgedCall, commands: readonly CommandReport[]): PermissionUpdate[] {
  const missing = commands.flatMap(uncovered);
  if (call.shell?.unclear !== undefined || missing.some(({ command }) => command?.unclear !== undefined)) return [];
  const closed = missing.map(({ path }) => path).filter((path) => path !== undefined);
  if (closed.some((path) => isProtectedWrite(path, call.policy))) return [];
  const forPaths =
    closed.length === 0
      ? []
      : foldersAndMode(
          closed.filter((path) => !isInDirectories(path, call)),
          call,
          closed,
        );
  const wanted = missing.filter(({ path, command }) => path === undefined || command?.readsOnly === false);
  const rules = wanted.map(({ command }) => command && suggestShellRule(command));
  // A settings file has no way to say that a star is a star, and half of what is needed spares no question.
  if (rules.includes(undefined)) return [];
  const written = rules
    .filter((rule) => rule !== undefined)
    .map((ruleContent) => ({ toolName: call.tool.name, ruleContent }));
  const unique = written.filter(
    ({ ruleContent }, index) => written.findIndex((each) => each.ruleContent === ruleContent) === index,
  );
  return [...(unique.length === 0 ? [] : [toSettings(unique)]), ...forPaths];
}

function uncovered(report: CommandReport): CommandReport[] {
  if (report.covered) return [];
  const inner = report.command?.passesThrough === true ? (report.runs ?? []).flatMap(uncovered) : [];
  return inner.length > 0 ? inner : [report];
}

function foldersAndMode(
  outside: readonly JudgedPath[],
  { policy }: JudgedCall,
  all: readonly JudgedPath[] = outside,
): PermissionUpdate[] {
  const wanted = [...new Set(formsOf(outside).map(parentPath))];
  // A folder that holds the session's own, or the home, would let in far more than was asked about.
  const isWide = (folder: string): boolean =>
    [...policy.directories, policy.home].some((own) => own !== undefined && isWithin(folder, own, false));
  const directories = wanted.some(isWide) ? [] : wanted;
  const writes = all.length === 0 || all.some(({ access }) => access === 'write');
  const setMode: PermissionUpdate[] =
    policy.mode === 'acceptEdits' || !writes ? [] : [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
  return directories.length === 0
    ? setMode
    : [{ type: 'addDirectories', directories, destination: 'session' }, ...setMode];
}

function formsOf(all: readonly JudgedPath[]): string[] {
  return [...new Set(all.flatMap((path) => path.forms.filter((form) => form !== undefined)))];
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url.trim()).hostname || undefined;
  } catch {
    return undefined;
  }
}

function toSettings(rules: PermissionRuleValue[]): PermissionUpdate {
  return { type: 'addRules', behavior: 'allow', rules, destination: 'localSettings' };
}
