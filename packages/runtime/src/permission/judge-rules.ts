import { type Coverage, coverCall } from './cover-call.ts';
import { type JudgedCall, rulesFor, type SourcedRule } from './judged-call.ts';
import { acceptsEdits } from './mode-table.ts';
import type { PolicySource } from './policy.ts';
import { touchesCall } from './touches-call.ts';

/** What all sources say of a call, whatever the mode. */
export interface RuleVerdicts {
  readonly deny?: SourcedRule;
  readonly ask?: SourcedRule;
  /** A deny or ask rule that only running the call would tell of. */
  readonly maybe?: SourcedRule;
  readonly allow?: SourcedRule;
  /** Of a shell line, what the strictest sources' rules cover of it. */
  readonly coverage?: Coverage;
}

/** The strictest of what the sources say counts; in an ordered source its first rule that is about the call speaks. */
export function judgeRules(call: JudgedCall): RuleVerdicts {
  const rules = rulesFor(call.policy, call.tool);
  const strictest = rules.filter(({ source }) => source.evaluation === 'strictest');
  const found: { -readonly [Kind in keyof RuleVerdicts]: RuleVerdicts[Kind] } = {};
  for (const rule of strictest) {
    if (rule.rule.behavior !== 'allow') note(found, rule, touchesCall(rule, call));
  }
  // Several rules, of whatever layer, may allow a call together.
  const coverage = coverCall(strictest, call, { edits: acceptsEdits(call.policy) });
  found.coverage = coverage;
  if (coverage.by !== undefined) found.allow = coverage.by;
  for (const source of new Set(rules.map((each) => each.source))) {
    if (source.evaluation === 'ordered') judgeInOrder(source, rules, call, found);
  }
  return found;
}

type Found = { -readonly [Kind in keyof RuleVerdicts]: RuleVerdicts[Kind] };

function judgeInOrder(source: PolicySource, rules: readonly SourcedRule[], call: JudgedCall, found: Found): void {
  for (const rule of rules) {
    if (rule.source !== source) continue;
    if (rule.rule.behavior === 'allow') {
      if (coverCall([rule], call).by === undefined) continue;
      found.allow ??= rule;
      return;
    }
    const touch = touchesCall(rule, call);
    if (touch === 'no') continue;
    note(found, rule, touch);
    return;
  }
}

function note(found: Found, rule: SourcedRule, touch: ReturnType<typeof touchesCall>): void {
  if (touch === 'no') return;
  if (touch === 'maybe') found.maybe ??= rule;
  else if (rule.rule.behavior === 'deny') found.deny ??= rule;
  else found.ask ??= rule;
}
