import { isFormInDirectories, type JudgedCall, rulesFor, type SourcedRule } from './judged-call.ts';
import type { JudgedPath } from './judged-paths.ts';
import { isWithin } from './lexical-path.ts';
import type { Policy, PolicyRule } from './policy.ts';
import { isProtectedPlace } from './protected-place.ts';
import { rulePath } from './rule-path.ts';
import { coversForm } from './touch-path.ts';

/**
 * The allow rule that covers a path in one of its forms. A protected place needs one that names it, not one for a folder
 * that it happens to be in.
 */
export function coveringPathRule(
  rules: readonly SourcedRule[],
  form: string,
  call: Pick<JudgedCall, 'policy' | 'paths' | 'foldCase'>,
  isGuarded: boolean,
): SourcedRule | undefined {
  const { policy, paths, foldCase } = call;
  return rules.find(({ rule, source }) => {
    if (rule.content === undefined) return !isGuarded;
    const place = rulePath(rule, source, policy);
    if (place === undefined) return false;
    if (isGuarded && isGuardedForm(form, policy) && !isGuardedForm(place.path, policy)) return false;
    return coversForm(place, form, paths, foldCase);
  });
}

/** The rule that lets all forms of the path be touched, or `true` where its folders do. */
export function coverPath(
  rules: readonly SourcedRule[],
  path: JudgedPath,
  call: JudgedCall,
): SourcedRule | true | undefined {
  let by: SourcedRule | true = true;
  for (const form of path.forms) {
    if (form === undefined) return undefined;
    const rule = coveringPathRule(rules, form, call, call.isProtected);
    if (rule === undefined && (path.access === 'write' || !isFormInDirectories(form, call))) return undefined;
    if (rule !== undefined) by = rule;
  }
  return by;
}

/** The rules that let files be read or written, for what a shell line does by itself. */
export function fileRules(policy: Policy, access: 'read' | 'write'): readonly SourcedRule[] {
  const names = access === 'read' ? ['Read'] : ['Write', 'Edit'];
  const all = names.flatMap((name) => rulesFor(policy, { name, ruleContent: 'path' }));
  return all.filter(
    ({ rule, source }) =>
      rule.behavior === 'allow' && rule.arguments === undefined && source.evaluation === 'strictest',
  );
}

/** Whether the content of a rule for commands names a protected place. */
export function namesProtectedPlace({ content = '' }: PolicyRule): boolean {
  return content.split(/[\s'"=]+/).some(isProtectedPlace);
}

function isGuardedForm(form: string, policy: Policy): boolean {
  return isProtectedPlace(form) || (policy.protected ?? []).some((place) => isWithin(place, form, true));
}
