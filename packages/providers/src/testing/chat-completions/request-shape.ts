import { isText, isWire, namePattern } from '../request-guards.ts';
import {
  anyObject,
  anything,
  anyText,
  byType,
  exact,
  listOf,
  matching,
  oneOf,
  orNull,
  textOr,
  trueOrFalse,
  wholeNumber,
  type Shape,
} from '../shape.ts';
import { responseFormat } from '../output-schema.ts';
import type { Flavour } from './flavour.ts';

/** A body by OpenAI's public reference of chat completions, with the fields that a flavour adds. */
export function requestShape(flavour: Flavour): Shape {
  return exact(
    { model: matching(/\S/), messages: filledList(messageShape(flavour)), stream: oneOf(true) },
    {
      ...textSettings,
      tools: filledList(toolShape(flavour)),
      tool_choice: anything,
      parallel_tool_calls: trueOrFalse,
      stream_options: exact({}, { include_usage: trueOrFalse, include_obfuscation: trueOrFalse }),
      ...flavour.fields,
    },
  );
}

const number: Shape = (value, place) => (typeof value === 'number' ? undefined : `${place}: must be a number`);

const textSettings: Readonly<Record<string, Shape>> = {
  frequency_penalty: number,
  logit_bias: anyObject,
  logprobs: trueOrFalse,
  max_completion_tokens: wholeNumber(1),
  max_tokens: wholeNumber(1),
  metadata: anyObject,
  n: wholeNumber(1),
  presence_penalty: number,
  prompt_cache_key: anyText,
  reasoning_effort: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
  response_format: responseFormat,
  safety_identifier: anyText,
  seed: number,
  service_tier: anyText,
  stop: anything,
  store: trueOrFalse,
  temperature: number,
  top_logprobs: wholeNumber(),
  top_p: number,
  user: anyText,
  verbosity: oneOf('low', 'medium', 'high'),
};

/** The reference takes an empty text; what it would mean is nothing that we could want to say. */
const filledText: Shape = (value, place) => (isText(value) ? undefined : `${place}: must be a text that is not empty`);

function filledList(shape: Shape): Shape {
  return (value, place) =>
    Array.isArray(value) && value.length === 0 ? `${place}: must not be empty` : listOf(shape)(value, place);
}

const textPart = exact({ type: oneOf('text'), text: filledText });
const textContent = textOr(filledList(textPart));

function messageShape(flavour: Flavour): Shape {
  const shapes: Readonly<Record<string, Shape>> = {
    system: exact({ role: anything, content: textContent }, { name: anyText }),
    developer: exact({ role: anything, content: textContent }, { name: anyText }),
    user: exact({ role: anything, content: (value, place) => userContent(value, place, flavour) }, { name: anyText }),
    assistant: (value, place) => assistantShape(value, place, flavour),
    tool: exact({ role: anything, content: filled(textContent), tool_call_id: filledText }),
  };
  return (value, place) => {
    const role = isWire(value) ? value['role'] : undefined;
    const shape = typeof role === 'string' && Object.hasOwn(shapes, role) ? shapes[role] : undefined;
    return shape === undefined
      ? `${place}.role: ${JSON.stringify(role)} is none of ${Object.keys(shapes).join(', ')}`
      : shape(value, place);
  };
}

function filled(shape: Shape): Shape {
  return (value, place) => (typeof value === 'string' ? filledText(value, place) : shape(value, place));
}

function userContent(value: unknown, place: string, { images }: Flavour): string | undefined {
  const url =
    images === undefined ? matching(/^(https?:|data:image\/[a-z]+;base64,[A-Za-z0-9+/]+=*$)/) : matching(images);
  const parts = byType({
    text: textPart,
    image_url: exact({
      type: anything,
      image_url: exact({ url }, { detail: oneOf('auto', 'low', 'high') }),
    }),
    input_audio: exact({ type: anything, input_audio: exact({ data: anyText, format: oneOf('wav', 'mp3') }) }),
    file: exact({ type: anything, file: exact({}, { file_data: anyText, file_id: anyText, filename: anyText }) }),
  });
  return filled(textOr(filledList(parts)))(value, place);
}

const callShape = exact({
  id: filledText,
  type: oneOf('function'),
  function: exact({ name: matching(namePattern), arguments: jsonObjectText }),
});

function jsonObjectText(value: unknown, place: string): string | undefined {
  try {
    if (isWire(JSON.parse(String(value)))) return undefined;
  } catch {
    // Said below.
  }
  return `${place}: must be the JSON text of an object`;
}

function assistantShape(value: unknown, place: string, flavour: Flavour): string | undefined {
  const content = flavour.noNull ? textContent : orNull(textContent);
  const calls = isWire(value) ? value['tool_calls'] : undefined;
  const said = isWire(value) && isText(value['content']);
  if (calls === undefined && !said && !(isWire(value) && Array.isArray(value['content'])))
    return `${place}.content: is required where there are no tool_calls`;
  return exact(
    { role: anything, content },
    { name: anyText, refusal: orNull(anyText), tool_calls: filledList(callShape), ...flavour.assistantFields },
  )(value, place);
}

function toolShape(flavour: Flavour): Shape {
  const parameters: Shape = (value, place) => {
    if (!isWire(value) || value['type'] !== 'object') return `${place}: must be a JSON Schema of type object`;
    return flavour.checkTool?.(value, place);
  };
  return exact({
    type: oneOf('function'),
    function: exact({ name: matching(namePattern) }, { description: anyText, parameters, strict: orNull(trueOrFalse) }),
  });
}
