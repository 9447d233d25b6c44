import type { CallKind } from './mode-table.ts';
import { coverLine } from './cover-line.ts';
import { isInDirectories, type JudgedCall } from './judged-call.ts';
import { hasExcluded, runsSandboxed } from './runs-sandboxed.ts';

/** What the modes take the call for. */
export function callKindOf(call: JudgedCall): CallKind {
  const { tool, access, policy, isProtected } = call;
  if (tool.ruleContent === 'command' && access.command !== undefined) return commandKind(call);
  const { urls = [], command } = access;
  const paths = call.paths.paths;
  const onlyFiles = command === undefined && urls.every((url) => /^file:/i.test(url.trim()));
  const isWithoutEffect = tool.delegates === true || tool.effect(call.input) === 'none';
  if (isWithoutEffect) {
    const onlyReads = onlyFiles && paths.length > 0 && paths.every(({ access: kind }) => kind === 'read');
    if (!onlyReads) return 'quiet';
    return paths.every((path) => isInDirectories(path, call)) ? 'read' : 'readElsewhere';
  }
  if (paths.some((path) => path.access === 'write') && isProtected) return 'protectedWrite';
  const edits = onlyFiles && tool.ruleContent === 'path' && paths.some((path) => path.access === 'write');
  if (!edits) return 'other';
  return paths.every((path) => isInDirectories(path, call)) ? 'edit' : 'editElsewhere';

  function commandKind(judged: JudgedCall): CallKind {
    if (access.unsandboxed === true && policy.sandbox?.allowUnsandboxed === true) return 'unsandboxed';
    if (coverLine([], judged, { onlyReads: true }).covered) return 'read';
    if (isProtected) return 'protectedWrite';
    if (coverLine([], judged, { onlyReads: true, readsAnywhere: true }).covered) return 'readElsewhere';
    const isSandboxed =
      policy.sandbox?.autoAllow === true &&
      runsSandboxed(policy, access, judged.shell) &&
      !hasExcluded(policy, judged.shell);
    if (isSandboxed) return 'sandboxed';
    return coverLine([], judged, { edits: true }).covered ? 'fileCommand' : 'command';
  }
}
