import { resolve } from 'node:path';
import type { JsonObject, JsonValue } from '@rondo/protocol';
import type { Reconciliation, ToolContext, ToolResult } from '@rondo/runtime';
import type { EditInput } from './edit-input.ts';
import { hashBytes, rememberFile } from '../file/file-state.ts';
import { isMissing, reasonOf } from '../file/locate-file.ts';
import { readLocated } from '../file/open-file.ts';
import { editBytes, revertChanges, type ByteChange } from './edit-bytes.ts';
import { editResult } from './edit-result.ts';

/** Finds out by the file's hash whether an edit was made before its process died. */
export async function reconcileEdit(
  input: EditInput,
  prepared: JsonValue,
  context: ToolContext,
): Promise<Reconciliation> {
  if (prepared === null) return { outcome: 'not_done' };
  if (!isObject(prepared) || typeof prepared['target'] !== 'string') {
    return { outcome: 'unknown', reason: 'what was noted before the edit cannot be read' };
  }
  const { target, before, after } = prepared;
  let bytes: Buffer | undefined;
  try {
    bytes = await readLocated({ path: target, target });
  } catch (error) {
    if (!(error instanceof Error && isMissing(error.cause)))
      return { outcome: 'unknown', reason: `${target} cannot be read: ${reasonOf(error)}` };
  }
  const now = bytes === undefined ? null : hashBytes(bytes);
  if (now === before) return { outcome: 'not_done' };
  if (bytes === undefined || now !== after) {
    return {
      outcome: 'unknown',
      reason: `${target} is neither as it was before the edit nor as the edit would have left it`,
    };
  }
  const result = await rebuildResult(bytes, prepared, input, resolve(context.cwd, input.file_path));
  return { outcome: 'done', result: { ...result, remembered: rememberFile(target, hashBytes(bytes)) } };
}

async function rebuildResult(bytes: Buffer, prepared: JsonObject, input: EditInput, path: string): Promise<ToolResult> {
  if (input.old_string === '') return editResult(path, input, { before: '', after: input.new_string, lines: [1] });
  const changes = changesOf(prepared['changes']);
  const original = changes === undefined ? undefined : revertChanges(bytes, changes);
  if (original !== undefined && hashBytes(original) === prepared['before']) {
    const edit = { oldString: input.old_string, newString: input.new_string, replaceAll: input.replace_all };
    return editResult(path, input, editBytes(path, original, edit));
  }
  // Too much was replaced to be noted: what the file held before is not known any more.
  return { content: `Replaced the occurrences of old_string in ${path}.` };
}

function changesOf(value: JsonValue | undefined): ByteChange[] | undefined {
  if (!isList(value)) return undefined;
  const changes = value.flatMap((change) => {
    const [at, removed, added] = isList(change) ? change : [];
    if (typeof at !== 'number' || typeof removed !== 'string' || typeof added !== 'number') return [];
    return [{ at, removed: Buffer.from(removed, 'base64'), added: Buffer.alloc(added) }];
  });
  return changes.length === value.length ? changes : undefined;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
