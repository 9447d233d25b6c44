import { isWire } from '../request-guards.ts';
import {
  anyObject,
  anyText,
  anything,
  byType,
  exact,
  listOf,
  matching,
  oneOf,
  orNull,
  textOr,
  trueOrFalse,
  type Shape,
} from '../shape.ts';
import { inputParts, outputParts, someText } from './content-shapes.ts';

/* The items of a request's input, as the public reference has them. */

const status = oneOf('in_progress', 'completed', 'incomplete');
const phase = oneOf('commentary', 'final_answer', null);
export const functionName = matching(/^[a-zA-Z0-9_-]{1,64}$/);
const callId = matching(/^.{1,64}$/s);
const caller = orNull(
  byType({
    direct: exact({ type: anyText }),
    program: exact({ type: anyText, caller_id: someText }),
  }),
);

/** The IDs that the API gives begin with the kind of the item. */
function idOf(prefix: string): Shape {
  return (value, place) =>
    typeof value === 'string' && value.startsWith(prefix) && value.length <= 64 + prefix.length
      ? undefined
      : `Invalid '${place}': ${JSON.stringify(value)}. Expected an ID that begins with '${prefix}'.`;
}

const asked = exact(
  { role: oneOf('user', 'system', 'developer'), content: textOr(inputParts) },
  { type: oneOf('message'), status, phase },
);
const answeredPlainly = exact({ role: oneOf('assistant'), content: someText }, { type: oneOf('message'), phase });
const answered = exact(
  { type: oneOf('message'), id: idOf('msg_'), role: oneOf('assistant'), content: outputParts, status },
  { phase },
);

const message: Shape = (value, place) => {
  if (!isWire(value)) return `${place}: must be an object`;
  if (value['role'] !== 'assistant') return asked(value, place) ?? emptyText(value['content'], `${place}.content`);
  return (typeof value['content'] === 'string' ? answeredPlainly : answered)(value, place);
};

function emptyText(content: unknown, place: string): string | undefined {
  return content === '' ? `${place}: must not be empty` : undefined;
}

const jsonText: Shape = (value, place) => {
  if (typeof value !== 'string') return `${place}: must be a text`;
  try {
    return isWire(JSON.parse(value)) ? undefined : `${place}: must be the JSON of an object`;
  } catch {
    return `${place}: is no JSON`;
  }
};

const textsOf = (type: string): Shape => listOf(exact({ type: oneOf(type), text: anyText }));

/** An item of a tool that runs on the vendor's side: its ID, and fields that only the vendor reads. */
function hosted(prefix: string, required: readonly string[], optional: readonly string[] = []): Shape {
  const fields = (names: readonly string[]): Readonly<Record<string, Shape>> =>
    Object.fromEntries(names.map((name) => [name, anything]));
  return exact({ type: anyText, id: idOf(prefix), ...fields(required) }, fields(optional));
}

const items: Readonly<Record<string, Shape>> = {
  message,
  reasoning: exact(
    { type: anyText, id: idOf('rs_'), summary: textsOf('summary_text') },
    { content: textsOf('reasoning_text'), encrypted_content: orNull(someText), status },
  ),
  function_call: exact(
    { type: anyText, call_id: callId, name: functionName, arguments: jsonText },
    { id: idOf('fc_'), status, async: trueOrFalse, caller, namespace: someText },
  ),
  function_call_output: exact(
    { type: anyText, call_id: callId, output: textOr(inputParts) },
    { id: orNull(idOf('fc')), status: orNull(status), caller, name: orNull(someText), namespace: orNull(someText) },
  ),
  custom_tool_call: exact(
    { type: anyText, call_id: callId, name: someText, input: anyText },
    { id: idOf('ctc_'), status, async: trueOrFalse, caller, namespace: someText },
  ),
  custom_tool_call_output: exact(
    { type: anyText, call_id: callId, output: textOr(inputParts) },
    { id: anyText, caller, name: orNull(someText), namespace: orNull(someText) },
  ),
  web_search_call: exact({
    type: anyText,
    id: idOf('ws_'),
    status: oneOf('in_progress', 'searching', 'completed', 'failed', 'incomplete'),
    action: byType({
      search: exact(
        { type: anyText },
        {
          query: anyText,
          queries: listOf(anyText),
          sources: listOf(exact({ type: oneOf('url'), url: someText })),
        },
      ),
      open_page: exact({ type: anyText }, { url: orNull(anyText) }),
      find_in_page: exact({ type: anyText, pattern: anyText, url: anyText }),
    }),
  }),
  file_search_call: hosted('fs_', ['queries', 'status'], ['results']),
  code_interpreter_call: hosted('ci_', ['code', 'container_id', 'outputs', 'status']),
  computer_call: hosted('cu_', ['call_id', 'pending_safety_checks', 'status'], ['action', 'actions']),
  image_generation_call: hosted('ig_', ['result', 'status'], ['action', 'background', 'error']),
  mcp_list_tools: hosted('mcpl_', ['server_label', 'tools'], ['error']),
  mcp_call: hosted('mcp_', ['arguments', 'name', 'server_label'], ['approval_request_id', 'error', 'output', 'status']),
  compaction: exact({ type: anyText, encrypted_content: someText }, { id: orNull(idOf('cmp_')) }),
  tool_search_call: anyObject,
  tool_search_output: anyObject,
};

/** One item of the input; a message may leave out its type. */
export const inputItem: Shape = (value, place) =>
  isWire(value) && value['type'] === undefined ? message(value, place) : byType(items)(value, place);
