import { parseTree, stripComments, type Node, type ParseError } from 'jsonc-parser';
import { isRecord } from '../is-record.ts';
import { jsonFault } from './json-fault.ts';
import type { SettingsFinding } from './read-settings.ts';

export interface TolerantJson {
  readonly value: unknown;
  readonly findings: readonly SettingsFinding[];
}

/**
 * JSON with comments and trailing commas, both told. Of a key that stands twice the last text, number or truth counts;
 * lists and objects count together, so that a second block takes nothing back that the first one said.
 * @returns undefined for text that is not even that.
 */
export function readTolerantJson(text: string): TolerantJson | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (root === undefined || errors.length > 0) return undefined;
  const findings: SettingsFinding[] = [];
  const bare = stripComments(text, ' ');
  if (bare !== text) findings.push({ path: [], problem: 'holds comments, which JSON has not', severity: 'notice' });
  if (jsonFault(bare).at < bare.length)
    findings.push({ path: [], problem: 'holds a comma behind the last entry, which JSON has not', severity: 'notice' });
  return { value: valueOf(root, [], findings), findings };
}

/** Where the text stops being JSON, comments and trailing commas aside. */
export function tolerantFault(text: string): { readonly place: string; readonly expected: string } {
  return jsonFault(stripComments(text, ' '), { trailingCommas: true });
}

/** `line:column` of each place, as far as the text has it; of one that it has not, of the nearest above. */
export function placesIn(text: string, paths: readonly (readonly (string | number)[])[]): readonly string[] {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return paths.map((path) => placeOf(text, root === undefined ? 0 : offsetOf(root, path)));
}

function offsetOf(root: Node, path: readonly (string | number)[]): number {
  let node = root;
  let { offset } = root;
  for (const step of path) {
    const child =
      typeof step === 'number'
        ? node.children?.[step]
        : node.children?.findLast((property) => property.children?.[0]?.value === step);
    const value = typeof step === 'number' ? child : child?.children?.[1];
    if (child === undefined) break;
    offset = child.offset;
    if (value === undefined) break;
    node = value;
  }
  return offset;
}

function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}

type Path = readonly (string | number)[];

function valueOf(node: Node, path: Path, findings: SettingsFinding[]): unknown {
  if (node.type === 'array')
    return (node.children ?? []).map((child, index) => valueOf(child, [...path, index], findings));
  if (node.type !== 'object') return node.value;
  const members = new Map<string, unknown>();
  for (const { children: [name, child] = [] } of node.children ?? []) {
    if (name === undefined || child === undefined) continue;
    const key = String(name.value);
    const place = [...path, key];
    if (key === '__proto__') {
      findings.push({ path: place, problem: 'is no key that settings can have; it is left out', severity: 'warning' });
      continue;
    }
    const value = valueOf(child, place, findings);
    if (!members.has(key)) members.set(key, value);
    else {
      const before = members.get(key);
      const both = isWhole(before);
      members.set(key, together(before, value));
      const counts = both ? 'all that both say counts' : 'the last one counts';
      findings.push({ path: place, problem: `stands here for a second time; ${counts}`, severity: 'warning' });
    }
  }
  return Object.fromEntries(members);
}

function isWhole(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function together(before: unknown, value: unknown): unknown {
  if (Array.isArray(before)) return isRecord(value) || value === null ? before : [...before, ...[value].flat()];
  if (!isRecord(before)) return Array.isArray(value) && typeof before === 'string' ? [before, ...value] : value;
  if (!isRecord(value)) return before;
  const joined = Object.entries(value).map(([key, entry]): [string, unknown] => [
    key,
    Object.hasOwn(before, key) ? together(before[key], entry) : entry,
  ]);
  return Object.fromEntries([...Object.entries(before), ...joined]);
}
