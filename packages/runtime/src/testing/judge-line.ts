import type { JsonObject } from '@rondo/protocol';
import { compilePolicy, type CompilePolicyOptions } from '../permission/compile-policy.ts';
import { type CallJudgement, judgeCall, type JudgeCallOptions } from '../permission/judge-call.ts';
import { normalPath } from '../permission/lexical-path.ts';
import { readPermissionRules } from '../permission/read-permission-rule.ts';
import type { Policy } from '../permission/policy.ts';
import { caseTool } from './case-tools.ts';

/** A policy in plain words: rules are read as people write them. */
export interface PlainPolicy
  extends Omit<Partial<CompilePolicyOptions>, 'allowedTools' | 'disallowedTools' | 'askTools'> {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** In `/work`, with the home folder `/home/me`. */
export function plainPolicy({ allow, ask, deny, ...options }: PlainPolicy = {}): Policy {
  const compiled = compilePolicy({ directories: ['/work'], home: '/home/me', ...options });
  const rules = [
    ...readPermissionRules(deny, 'deny').rules,
    ...readPermissionRules(ask, 'ask').rules,
    ...readPermissionRules(allow, 'allow').rules,
  ];
  return { ...compiled, sources: [{ name: 'rules', evaluation: 'strictest', rules }, ...compiled.sources] };
}

export interface PlainCall extends Partial<Omit<JudgeCallOptions, 'tool' | 'input' | 'policy'>> {
  /** Where links lead: a path, and what stands for it and all below it. */
  readonly links?: Readonly<Record<string, string>>;
}

/** What a policy says of a call of one of the well-known tools. */
export function judgeTool(
  name: string,
  input: JsonObject,
  policy: Policy | PlainPolicy,
  { links = {}, ...rest }: PlainCall = {},
): Promise<CallJudgement> {
  return judgeCall({
    tool: caseTool(name),
    input,
    policy: 'sources' in policy ? policy : plainPolicy(policy),
    resolvePath: (path) => Promise.resolve(resolved(path, links)),
    ...rest,
  });
}

/** What a policy says of a shell line. */
export function judgeLine(command: string, policy: Policy | PlainPolicy, call: PlainCall = {}): Promise<CallJudgement> {
  return judgeTool('Bash', { command }, policy, call);
}

function resolved(path: string, links: Readonly<Record<string, string>>): string {
  const place = normalPath('/', path);
  const link = Object.keys(links).find((each) => place === each || place.startsWith(`${each}/`));
  return link === undefined ? place : normalPath('/', (links[link] ?? '') + place.slice(link.length));
}
