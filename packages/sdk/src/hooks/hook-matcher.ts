import type { HookEvent } from '@rondo/runtime';
import { hookEventFacts } from './hook-event-facts.ts';

export interface HookMatcher {
  /** Absent: every subject, as at events without one. */
  readonly matches?: (subject: string) => boolean;
  /** Why no subject can ever match. Its author believes the hook runs. */
  readonly never?: string;
  /** What is read otherwise than it may have been meant. */
  readonly notice?: string;
}

/** Names, and lists of them: what no other character makes an expression. */
const plainNames = /^[\w:-]+(\s*\|\s*[\w:-]+)*$/;
/** Characters that no tool's name, source or agent's type has. */
const foreignCharacters = /[\s"'`=&,;!@#%<>/~]/;
const expressionLanguage = /==|!=|&&|\bmatches\b|\btool_input\b/;

/** A tool that has two names in the configurations people have. */
const sameTool: Readonly<Record<string, string>> = { Task: 'Agent', Agent: 'Task' };

/**
 * Reads a matcher. Absent, `""`, `*` and `.*` are all; names and lists of names are compared exactly, with their case; a
 * bare `mcp__server` also covers the server's tools; anything else is an expression, found anywhere in the subject. On an
 * event without a subject a matcher has no effect.
 */
export function compileMatcher(event: HookEvent, matcher: unknown): HookMatcher {
  if (matcher === undefined || matcher === null) return {};
  if (typeof matcher !== 'string') return { never: 'the matcher is no text; write names, such as "Edit|Write"' };
  const text = matcher.trim();
  if (hookEventFacts[event].subject === undefined || text === '' || text === '*' || text === '.*') return {};
  if (plainNames.test(text)) {
    const names = text.split('|').map((name) => name.trim());
    return { matches: (subject) => names.some((name) => isNamed(name, subject)) };
  }
  return compileExpression(text);
}

function isNamed(name: string, subject: string): boolean {
  if (name === subject || sameTool[name] === subject) return true;
  if (!name.startsWith('mcp__')) return false;
  const server = name.slice('mcp__'.length);
  if (server === '') return subject.startsWith(name);
  const hasTool = server.replace(/__$/, '').includes('__');
  return !hasTool && subject.startsWith(server.endsWith('__') ? name : `${name}__`);
}

function compileExpression(text: string): HookMatcher {
  let expression: RegExp;
  try {
    expression = new RegExp(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
    return { never: `the matcher is no valid expression: ${reason}` };
  }
  const call = /^([\w-]+)\((.*)\)$/.exec(text);
  if (call !== null && !/^[|^$?.*+\w()-]*$/.test(call[2] ?? ''))
    return {
      never: `the matcher is a permission rule, not a name; write matcher: ${JSON.stringify(call[1])} and if: ${JSON.stringify(text)}`,
    };
  if (canMatchNothing(text)) {
    const way = expressionLanguage.test(text) ? ', and matchers are no expression language' : '';
    return {
      never: `no name can match it${way}; write names, such as "Edit|Write", and a permission rule as if: "Bash(git push:*)"`,
    };
  }
  return {
    matches: (subject) => expression.test(subject),
    ...(expressionLanguage.test(text)
      ? { notice: 'the matcher is read as a regular expression; matchers are no expression language' }
      : {}),
  };
}

/** True only if every alternative needs a character that no name has. What is harder to tell may match. */
function canMatchNothing(text: string): boolean {
  if (text.includes('(?')) return false;
  const literal = text
    .replace(/\\s/g, ' ')
    .replace(/\\./g, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/.(\?|\*|\{0(,\d*)?\})/g, '')
    .replace(/\{\d+(,\d*)?\}/g, '');
  return literal.split('|').every((alternative) => foreignCharacters.test(alternative));
}
