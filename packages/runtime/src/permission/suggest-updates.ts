import type { PermissionUpdate } from '@rondo/protocol';
import { isInDirectories, type JudgedCall } from './judge-source.ts';
import { parentPath } from './lexical-path.ts';
import { exactRule, spellPath } from './session-rule.ts';

/** What a person who allows the call may want to allow with it. Empty where nothing would spare the next question. */
export function suggestUpdates(call: JudgedCall): PermissionUpdate[] {
  const { tool, access, paths, policy } = call;
  if (tool.ruleContent === 'command') {
    // A settings file has no way to say that a star is a star.
    if (access.command === undefined || access.command.includes('*')) return [];
    const rules = [{ toolName: tool.name, ruleContent: access.command }];
    return [{ type: 'addRules', behavior: 'allow', rules, destination: 'localSettings' }];
  }
  const forms = (all: typeof paths.paths): string[] => [
    ...new Set(all.flatMap((path) => path.forms.filter((form) => form !== undefined))),
  ];
  const outside = paths.paths.filter((path) => !isInDirectories(path, call));
  if (tool.ruleContent === 'path' && paths.paths.some(({ access: kind }) => kind === 'write')) {
    const directories = [...new Set(forms(outside).map(parentPath))];
    const setMode: PermissionUpdate[] =
      policy.mode === 'acceptEdits' ? [] : [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
    return directories.length === 0
      ? setMode
      : [{ type: 'addDirectories', directories, destination: 'session' }, ...setMode];
  }
  if (tool.ruleContent === 'path' && outside.length > 0) {
    const rules = forms(outside).map((form) => exactRule(tool.name, spellPath(form)));
    return [{ type: 'addRules', behavior: 'allow', rules, destination: 'session' }];
  }
  return [{ type: 'addRules', behavior: 'allow', rules: [{ toolName: tool.name }], destination: 'localSettings' }];
}
