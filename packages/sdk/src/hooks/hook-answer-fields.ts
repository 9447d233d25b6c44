import { nearestNames } from '@rondo/protocol/values';
import type { HookEvent } from '@rondo/runtime';

type Fields = Readonly<Record<string, unknown>>;

/** A hook's answer while it is read. */
export interface AnswerFields {
  readonly event: HookEvent;
  readonly whole: Fields;
  readonly specific: Fields | undefined;
  readonly notices: string[];
  readonly mayGrant: boolean;
  /** Whether what `hookSpecificOutput` grants counts. */
  readonly mayGrantSpecific: boolean;
  /** Paths that were read. */
  readonly used: Set<string>;
}

export interface FoundField {
  readonly value: unknown;
  /** It stands where and as it is documented, so what it grants counts. */
  readonly mayGrant: boolean;
}

type Place = 'whole' | 'specific';

const wholeFields = [
  'async',
  'asyncTimeout',
  'continue',
  'suppressOutput',
  'stopReason',
  'decision',
  'systemMessage',
  'reason',
  'hookSpecificOutput',
] as const;
const specificFields = [
  'hookEventName',
  'permissionDecision',
  'permissionDecisionReason',
  'updatedInput',
  'additionalContext',
  'updatedToolOutput',
  'updatedMCPToolOutput',
  'decision',
] as const;

/** A field from its place, in its spelling; else in snake case, else from the other place, with a notice. Undefined is absent. */
export function takeField(fields: AnswerFields, name: string, place: Place): FoundField | undefined {
  const snake = name.replace(/MCP/, '_mcp').replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
  const places: readonly Place[] = place === 'specific' ? ['specific', 'whole'] : ['whole'];
  for (const where of places) {
    for (const spelling of new Set([name, snake])) {
      const value = fields[where]?.[spelling];
      if (value === undefined) continue;
      fields.used.add(`${where}.${spelling}`);
      const isExact = where === place && spelling === name;
      if (!isExact) fields.notices.push(`${spelling} is read as ${pathOf(name, place)}; write that`);
      return { value, mayGrant: isExact && (place === 'whole' ? fields.mayGrant : fields.mayGrantSpecific) };
    }
  }
  return undefined;
}

/** A text that only describes: one of another type is left out with a notice. */
export function takeText(fields: AnswerFields, name: string, place: Place): string | undefined {
  const found = takeField(fields, name, place);
  if (found === undefined || found.value === null) return undefined;
  if (typeof found.value === 'string') return found.value;
  fields.notices.push(`${pathOf(name, place)} is no text and is left out`);
  return undefined;
}

/** Names what was not read and no hook's output has. */
export function noteUnknownFields(fields: AnswerFields): void {
  const known: readonly (readonly [Place, readonly string[]])[] = [
    ['whole', wholeFields],
    ['specific', specificFields],
  ];
  for (const [place, names] of known) {
    for (const field of Object.keys(fields[place] ?? {})) {
      if (names.includes(field) || fields.used.has(`${place}.${field}`) || field === 'hook_specific_output') continue;
      const [nearest] = nearestNames(field, names, 1);
      const meant = nearest === undefined ? '' : `; ${nearest} is`;
      fields.notices.push(`${pathOf(field, place)} is not known${meant}`);
    }
  }
}

function pathOf(name: string, place: Place): string {
  return place === 'whole' ? name : `hookSpecificOutput.${name}`;
}
