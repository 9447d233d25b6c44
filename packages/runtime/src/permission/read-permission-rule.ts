import type { PermissionBehavior } from '@rondo/protocol';
import { nearestNames } from '@rondo/protocol/values';
import { isToolName } from '../tool/tool-name.ts';
import type { Tool } from '../tool/tool.ts';
import { grantedCode } from './granted-code.ts';
import type { PolicyRule } from './policy.ts';
import { withoutSecrets } from './print-rule.ts';
import { contentKindOf, isRetiredName, knownToolNames, todaysName } from './rule-kind.ts';
import { canonicalRulePath, isMisreadRoot } from './rule-path-spelling.ts';
import { compoundKeyword } from './shell-pattern.ts';
import { hostOfRule } from './url-host.ts';
import { withoutTrailing } from './without-trailing.ts';

/**
 * What is to be said about a rule. `error`: an allow rule does not count, a deny or ask rule counts at its widest
 * reading. `warning`: it counts, perhaps otherwise than was meant. `advice`: it counts as written, and grants much.
 */
export interface RuleNotice {
  /** As written, without what looks like a secret. */
  readonly rule: string;
  readonly behavior: PermissionBehavior;
  readonly severity: 'error' | 'warning' | 'advice';
  /** A sentence without its end. */
  readonly problem: string;
  /** The right form, or another way on. */
  readonly suggestion?: string;
}

export interface ReadRules {
  readonly rules: readonly PolicyRule[];
  readonly notices: readonly RuleNotice[];
}

export interface ReadRuleOptions {
  /** Tools of the session beside the well-known ones. */
  readonly tools?: readonly Pick<Tool, 'name' | 'ruleContent'>[];
}

const noRules: ReadRules = { rules: [], notices: [] };

/**
 * Reads a rule as people really write them, `Tool` or `Tool(content)`. The content runs from the first `(` to the last
 * `)`; `\\`, `\(` and `\)` in it are escapes, no other backslash is. Never throws: what cannot be meant as written grants
 * nothing, and denies at its widest reading.
 */
export function readPermissionRule(
  text: string,
  behavior: PermissionBehavior,
  options: ReadRuleOptions = {},
): ReadRules {
  const trimmed = text.trim();
  const reading = createReading(trimmed, behavior);
  const open = trimmed.indexOf('(');
  const name = (open < 0 ? trimmed : trimmed.slice(0, open)).trim();
  if (!isToolName(name)) return oddName(reading, name, open >= 0);
  if (open < 0) return named(reading, { toolName: name }, options);

  const close = trimmed.lastIndexOf(')');
  const isClosed = close === trimmed.length - 1;
  const raw = trimmed.slice(open + 1, close > open ? close : undefined);
  const content = raw.replace(/\\([\\()])/g, '$1');
  if (!isClosed) {
    reading.error('the parenthesis is not closed at its end', `write ${name}(content)`);
  }
  if (content.trim() === '' || content.trim() === ':*') {
    reading.error('there is nothing between its parentheses', `write ${name} for every call of the tool`);
    return named(reading, { toolName: name }, options);
  }
  return withContent(reading, { toolName: name, content }, options);
}

/**
 * Reads a list of rules, or what stands where one should: a single text denies and asks like a list of one, and allows
 * nothing. Entries that are no texts are left out by themselves, and a rule that is there already is not repeated.
 */
export function readPermissionRules(
  value: unknown,
  behavior: PermissionBehavior,
  options: ReadRuleOptions = {},
): ReadRules {
  if (value === undefined) return noRules;
  if (!Array.isArray(value)) return notAList(value, behavior, options);
  const rules = new Map<string, PolicyRule>();
  const notices: RuleNotice[] = [];
  for (const entry of value as readonly unknown[]) {
    if (typeof entry !== 'string') {
      const rule = shown(entry);
      notices.push({
        rule,
        behavior,
        severity: 'error',
        problem: 'a rule is a text',
        suggestion: 'write "Tool(content)"',
      });
      continue;
    }
    const read = readPermissionRule(entry, behavior, options);
    for (const rule of read.rules) rules.set(`${rule.toolName}(${rule.content ?? ''}`, rule);
    notices.push(...read.notices);
  }
  return { rules: [...rules.values()], notices };
}

function notAList(value: unknown, behavior: PermissionBehavior, options: ReadRuleOptions): ReadRules {
  const problem = 'rules are a list of texts';
  const suggestion = 'write ["Tool(content)"]';
  const notice: RuleNotice = { rule: shown(value), behavior, severity: 'error', problem, suggestion };
  if (typeof value !== 'string' || behavior === 'allow') return { rules: [], notices: [notice] };
  const { rules, notices } = readPermissionRule(value, behavior, options);
  return { rules, notices: [notice, ...notices] };
}

interface Reading {
  readonly text: string;
  readonly behavior: PermissionBehavior;
  readonly notices: RuleNotice[];
  error(problem: string, suggestion?: string): void;
  warn(problem: string, suggestion?: string): void;
  advise(problem: string): void;
  /** The rules, unless an allow rule has an error. */
  done(...rules: readonly Omit<PolicyRule, 'behavior'>[]): ReadRules;
}

function createReading(text: string, behavior: PermissionBehavior): Reading {
  const notices: RuleNotice[] = [];
  const say = (severity: RuleNotice['severity'], problem: string, suggestion?: string): void => {
    const more = suggestion === undefined ? {} : { suggestion };
    notices.push({ rule: withoutSecrets(text), behavior, severity, problem, ...more });
  };
  return {
    text,
    behavior,
    notices,
    error: (problem, suggestion) => say('error', problem, suggestion),
    warn: (problem, suggestion) => say('warning', problem, suggestion),
    advise: (problem) => say('advice', problem),
    done(...rules) {
      const isRefused = behavior === 'allow' && notices.some(({ severity }) => severity === 'error');
      return { rules: isRefused ? [] : rules.map((rule) => ({ behavior, ...rule })), notices };
    },
  };
}

/** What is no tool's name: a pattern of names, or a form of another product. */
function oddName(reading: Reading, name: string, hasContent: boolean): ReadRules {
  if (/^mcp__.*\*/.test(name)) return serverPattern(reading, name);
  const spelled = /^([\p{L}\p{N}_.-]+)(?:\s*:\s*|\s+)(.*)$/su.exec(name);
  if (spelled !== null && !hasContent) {
    const [, tool = '', rest = ''] = spelled;
    const right = rest === '*' || rest === '' ? tool : `${tool}(${rest})`;
    reading.error('it is not of the form Tool(content)', `write ${right}`);
    return reading.done({ toolName: tool });
  }
  if (/^[\p{L}\p{M}\p{N}_.*-]+$/u.test(name) && name.includes('*')) {
    reading.error('patterns of tool names are not supported', 'write each tool by its name');
    return reading.done({ toolName: name });
  }
  reading.error('it has no tool name', 'write Tool or Tool(content)');
  return { rules: [], notices: reading.notices };
}

/** `mcp__server__*` and `mcp__server__get_*` name tools of one server; a pattern of servers only ever denies or asks. */
function serverPattern(reading: Reading, name: string): ReadRules {
  const [, server = '', tool] = /^mcp__(.+?)(?:__(.*))?$/s.exec(name) ?? [];
  if (server === '' || server.includes('*')) {
    if (reading.behavior === 'allow') {
      reading.error('patterns of servers are not supported as allow', 'write mcp__server for each server');
    }
    return reading.done({ toolName: name });
  }
  return reading.done({ toolName: tool === '*' ? `mcp__${server}` : name });
}

/** Says what is odd about the name. A deny rule that is wrong only in its capitals counts for the tool that was meant. */
function named(reading: Reading, rule: Omit<PolicyRule, 'behavior'>, { tools = [] }: ReadRuleOptions): ReadRules {
  const { toolName } = rule;
  const names = [...knownToolNames, ...tools.map(({ name }) => name)];
  if (names.includes(toolName) || toolName.startsWith('mcp__') || toolName.includes('.')) return reading.done(rule);
  if (isRetiredName(toolName)) return reading.done(rule);
  const [nearest] = nearestNames(toolName, names, 1);
  const meant = nearest === undefined ? undefined : `did you mean ${nearest}?`;
  reading.warn(`there is no tool ${toolName} here; the rule counts for one that comes`, meant);
  const isMeant = nearest?.toLowerCase() === toolName.toLowerCase() && reading.behavior !== 'allow';
  return isMeant ? reading.done(rule, { ...rule, toolName: nearest, written: reading.text }) : reading.done(rule);
}

function withContent(
  reading: Reading,
  { toolName, content }: { readonly toolName: string; readonly content: string },
  options: ReadRuleOptions,
): ReadRules {
  const bare = content.trim();
  const kind = contentKindOf(toolName, options.tools);
  if (isEverything(bare, kind)) return adviseOn(reading, named(reading, { toolName }, options));
  switch (kind) {
    case 'none':
      reading.error(
        `calls of ${toolName} are not compared with content`,
        `write ${toolName} for every call of the tool`,
      );
      return named(reading, { toolName, content: bare }, options);
    case 'path':
      return pathRule(reading, toolName, bare);
    case 'url':
      return urlRule(reading, toolName, bare);
    case 'name':
      return reading.done({ toolName, content: todaysName(toolName) === 'Skill' ? bare.replace(/^\//, '') : bare });
    case 'command':
      return commandRule(reading, toolName, bareLine(content));
    case undefined:
      return named(reading, { toolName, content }, options);
  }
}

function isEverything(content: string, kind: Tool['ruleContent'] | undefined): boolean {
  if (content === '*') return kind !== undefined;
  if (content === '**') return kind === 'path' || kind === 'command';
  return kind === 'url' && content === 'domain:*';
}

function pathRule(reading: Reading, toolName: string, written: string): ReadRules {
  const content = canonicalRulePath(written);
  const rule = { toolName, content };
  if (!/^\/(?!\/)/.test(content)) return reading.done(rule);
  const other = `/${content}`;
  if (isMisreadRoot(content)) {
    const problem = 'a single / at the beginning is the folder of the settings, not the root of the disk';
    reading.warn(problem, `did you mean ${toolName}(${other})?`);
  }
  // Whoever denies is protected in both readings.
  return reading.behavior === 'allow'
    ? reading.done(rule)
    : reading.done(rule, { toolName, content: other, written: reading.text });
}

function urlRule(reading: Reading, toolName: string, content: string): ReadRules {
  const domain = /^domain:(.*)$/is.exec(content)?.[1];
  const host = hostOfRule(domain ?? content);
  if (domain !== undefined && host?.isWhole === true)
    return reading.done({ toolName, content: `domain:${domain.trim()}` });
  const offered = host === undefined ? `${toolName}(domain:example.com)` : `${toolName}(domain:${host.host})`;
  reading.error('calls are compared by the host alone', `write ${offered}`);
  if (host === undefined) return reading.done({ toolName });
  const below = host.host.startsWith('*.') ? [{ toolName, content: `domain:${host.host.slice(2)}` }] : [];
  return reading.done({ toolName, content: `domain:${host.host}` }, ...below);
}

function commandRule(reading: Reading, toolName: string, content: string): ReadRules {
  const keyword = compoundKeyword(content);
  if (keyword !== undefined && reading.behavior === 'allow') {
    reading.warn(
      `${keyword} begins a compound command, whose parts are judged each by itself: it allows nothing`,
      'write a rule for each command in it',
    );
  } else if (/:\*./s.test(content)) {
    reading.warn('":*" stands for a prefix only at the end; before that the colon is a colon');
  }
  // A parenthesis that was left open leaves what follows open too.
  const isOpen = reading.notices.some(({ severity }) => severity === 'error') && !content.includes('*');
  return adviseOn(reading, reading.done({ toolName, content: isOpen ? `${content}:*` : content }));
}

function adviseOn(reading: Reading, read: ReadRules): ReadRules {
  if (reading.behavior === 'allow') {
    for (const rule of read.rules) {
      const why = grantedCode(rule);
      if (why !== undefined) reading.advise(why);
    }
  }
  return read;
}

/** Without the blanks around it, as a shell knows blanks; one after a backslash is part of a word. */
function bareLine(line: string): string {
  const bare = line.replace(/^[ \t\r\n]+/, '');
  const cut = withoutTrailing(bare, ' \t\r\n');
  return cut.endsWith('\\') ? bare : cut;
}

function shown(value: unknown): string {
  return withoutSecrets((JSON.stringify(value) ?? String(value)).slice(0, 200));
}
