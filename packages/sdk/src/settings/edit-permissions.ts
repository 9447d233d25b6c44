import type { PermissionUpdate, PermissionRuleValue } from '@rondo/protocol';
import { canonicalJson } from '@rondo/protocol/values';
import { formatPermissionRule } from '@rondo/runtime';
import type { JsonValue } from '@rondo/protocol';
import { applyEdits, modify, type JSONPath } from 'jsonc-parser';
import { isRecord } from '../is-record.ts';
import { appendEntry, removeEntry } from './edit-json-list.ts';
import { readTolerantJson } from './tolerant-json.ts';

export interface EditedText {
  readonly text: string;
  /** What of the updates a settings file cannot say, in sentences without their ends. */
  readonly left: readonly string[];
}

/** Why a file is not written to. */
export class UneditableSettings extends Error {
  override readonly name = 'UneditableSettings';
}

/**
 * The text of a settings file with the updates in it; everything else stays as it is: comments, order, indentation, line
 * ends. The same text where it says all of that already.
 * @throws UneditableSettings where the text cannot be understood well enough to be changed.
 */
export function editPermissions(written: string, updates: readonly PermissionUpdate[]): EditedText {
  const mark = written.startsWith('\uFEFF') ? '\uFEFF' : '';
  const original = written.slice(mark.length);
  let text = original.trim() === '' ? '{}\n' : original;
  const left: string[] = [];
  for (const update of updates) text = edited(text, update, left);
  return { text: text === original || (original.trim() === '' && text === '{}\n') ? written : mark + text, left };
}

function edited(text: string, update: PermissionUpdate, left: string[]): string {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules': {
      const rules = update.rules.flatMap((rule) => written(rule, update, left));
      return withList(text, update.behavior, changeOf(update.type), rules);
    }
    case 'setMode':
      return withValue(text, ['permissions', 'defaultMode'], update.mode);
    case 'addDirectories':
      return withList(text, 'additionalDirectories', 'add', update.directories);
    case 'removeDirectories':
      return withList(text, 'additionalDirectories', 'remove', update.directories);
  }
}

type Change = 'add' | 'replace' | 'remove';

function changeOf(type: 'addRules' | 'replaceRules' | 'removeRules'): Change {
  return type === 'addRules' ? 'add' : type === 'replaceRules' ? 'replace' : 'remove';
}

/** A star that is only a star would be a pattern in a file: such a rule may deny more than was said, never allow more. */
function written(
  { toolName, ruleContent, literal }: PermissionRuleValue,
  { behavior, type }: { readonly behavior: string; readonly type: string },
  left: string[],
): string[] {
  const rule = formatPermissionRule({ toolName, ...(ruleContent === undefined ? {} : { content: ruleContent }) });
  const isPattern = literal === true && ruleContent !== undefined && /[*?[\]{}!]|:\*$/.test(ruleContent);
  if (!isPattern || behavior !== 'allow' || type === 'removeRules') return [rule];
  left.push(`${rule} holds characters that would be a pattern in a settings file, so that it counts for the session`);
  return [];
}

function withList(text: string, key: string, change: Change, entries: readonly string[]): string {
  const path = ['permissions', key];
  const before = listIn(text, key);
  const isKept = (entry: string) => change === 'add' || has(entries, entry) === (change === 'replace');
  const isMissing = (entry: string, index: number) => !has(before, entry) && entries.indexOf(entry) === index;
  const missing = change === 'remove' ? [] : entries.filter(isMissing);
  let result = text;
  for (const [index, entry] of [...before.entries()].toReversed())
    if (!isKept(entry)) result = removeEntry(result, path, index);
  for (const entry of missing) {
    const isEmpty = listIn(result, key).length === 0;
    result = isEmpty ? changed(result, path, [entry]) : appendEntry(result, path, entry);
  }
  return result === text ? text : proven(text, result, key, [...before.filter(isKept), ...missing]);
}

function has(entries: readonly string[], entry: string): boolean {
  return entries.some((one) => one.trim() === entry.trim());
}

function withValue(text: string, path: JSONPath, value: string): string {
  if (readValue(text, path) === value) return text;
  return proven(text, changed(text, path, value), String(path.at(-1)), value);
}

function listIn(text: string, key: string): readonly string[] {
  const value = readValue(text, ['permissions', key]);
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string'))
    throw new UneditableSettings(`its permissions.${key} is no list of texts`);
  return value;
}

function readValue(text: string, path: JSONPath): unknown {
  let value: unknown = settingsIn(text);
  for (const key of path) {
    if (value === undefined) return undefined;
    if (!isRecord(value)) throw new UneditableSettings(`what stands above its ${path.join('.')} is no object`);
    value = Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function settingsIn(text: string): Readonly<Record<string, unknown>> {
  const read = readTolerantJson(text);
  if (read === undefined) throw new UneditableSettings('it is no JSON');
  if (!isRecord(read.value)) throw new UneditableSettings('its top is no object');
  if (read.findings.some(({ problem }) => problem.startsWith('stands here for a second time')))
    throw new UneditableSettings('a key stands in it twice');
  return read.value;
}

function changed(text: string, path: JSONPath, value: unknown): string {
  const formattingOptions = { ...indentation(text), eol: text.includes('\r\n') ? '\r\n' : '\n' };
  return applyEdits(text, modify(text, path, value, { formattingOptions }));
}

function indentation(text: string): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  return indent.startsWith('\t') ? { insertSpaces: false, tabSize: 4 } : { insertSpaces: true, tabSize: indent.length };
}

/** The new text, once it is sure that it says what it should and everything else as before. */
function proven(before: string, after: string, key: string, expected: unknown): string {
  const was = settingsIn(before);
  const is = settingsIn(after);
  const permissions = isRecord(was['permissions']) ? was['permissions'] : {};
  const wanted = { ...permissions, [key]: expected };
  const whole = { ...was, permissions: wanted };
  if (canonicalJson(whole as JsonValue) === canonicalJson(is as JsonValue)) return after;
  throw new UneditableSettings('it cannot be changed without changing more of it');
}
