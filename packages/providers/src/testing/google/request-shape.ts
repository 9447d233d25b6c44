import { firstProblem, isText, isWire } from '../request-guards.ts';
import {
  anyObject,
  anything,
  anyText,
  exact,
  listOf,
  matching,
  oneOf,
  trueOrFalse,
  wholeNumber,
  type Shape,
} from '../shape.ts';
import { schemaShape } from './schema-shape.ts';

/**
 * What `generateContent` takes, written down from the public reference of the generative language API: every field by
 * name, so that one it does not know is refused. Rules over several parts stand beside it.
 */
const base64 = matching(/^[A-Za-z0-9+/\-_]+={0,2}$/);
const words: Shape = (value, place) => (isText(value) ? undefined : `${place}: must be a text with something in it`);
/** Letters, digits, underscores, colons, dots and dashes; the first is a letter or an underscore. */
export const functionName = matching(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/);
const number: Shape = (value, place) => (typeof value === 'number' ? undefined : `${place}: must be a number`);

const mediaTypes = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/heif',
  'application/pdf',
  'text/plain',
  'audio/wav',
  'audio/mp3',
  'audio/mpeg',
  'audio/aiff',
  'audio/aac',
  'audio/ogg',
  'audio/flac',
  'video/mp4',
];
const inlineData = exact({ mimeType: oneOf(...mediaTypes), data: base64 }, { displayName: anyText });
const fileData = exact({ fileUri: words }, { mimeType: anyText, displayName: anyText });

/** What a part may be: one of these. */
const contents: Readonly<Record<string, Shape>> = {
  text: anyText,
  inlineData,
  fileData,
  functionCall: exact({ name: functionName }, { id: words, args: anyObject }),
  functionResponse: exact(
    { name: functionName, response: anyObject },
    {
      id: words,
      parts: listOf(exact({}, { inlineData, fileData })),
      willContinue: trueOrFalse,
      scheduling: anyText,
    },
  ),
  executableCode: exact({ language: anyText, code: anyText }, { id: anyText }),
  codeExecutionResult: exact({ outcome: anyText }, { output: anyText, id: anyText }),
  toolCall: exact({ toolType: anyText }, { id: anyText, args: anyObject }),
  toolResponse: exact({ toolType: anyText }, { id: anyText, response: anyObject }),
};

const partFields = exact(
  {},
  {
    ...contents,
    thought: trueOrFalse,
    thoughtSignature: base64,
    videoMetadata: anyObject,
    mediaResolution: anyObject,
    partMetadata: anyObject,
  },
);

const part: Shape = (value, place) => {
  const problem = partFields(value, place);
  if (problem !== undefined || !isWire(value)) return problem ?? `${place}: must be an object`;
  const held = Object.keys(contents).filter((name) => value[name] !== undefined);
  return held.length === 1
    ? undefined
    : `${place}: required oneof field 'data' must have one initialized field, found ${held.length}`;
};

const parts: Shape = (value, place) =>
  Array.isArray(value) && value.length === 0
    ? `${place}: contents.parts must not be empty`
    : listOf(part)(value, place);
const content = exact({ parts }, { role: oneOf('user', 'model') });

const tool = exact(
  {},
  {
    functionDeclarations: listOf(
      exact(
        { name: functionName },
        {
          description: anyText,
          behavior: anyText,
          parameters: anyObject,
          parametersJsonSchema: schemaShape,
          response: anyObject,
          responseJsonSchema: anyObject,
        },
      ),
    ),
    googleSearch: anyObject,
    codeExecution: anyObject,
    urlContext: anyObject,
  },
);

const levels = oneOf('THINKING_LEVEL_UNSPECIFIED', 'MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'XHIGH');

/** The reference has the names in capitals, the vendor's guides write `low` and `High`: it takes them in any case. */
const thinkingLevel: Shape = (value, place) => levels(typeof value === 'string' ? value.toUpperCase() : value, place);

const generationConfig = exact(
  {},
  {
    stopSequences: listOf(anyText),
    responseMimeType: anyText,
    responseSchema: anyObject,
    responseJsonSchema: anything,
    responseModalities: listOf(anyText),
    candidateCount: wholeNumber(1),
    maxOutputTokens: wholeNumber(1),
    temperature: number,
    topP: number,
    topK: number,
    seed: number,
    presencePenalty: number,
    frequencyPenalty: number,
    responseLogprobs: trueOrFalse,
    logprobs: wholeNumber(),
    enableEnhancedCivicAnswers: trueOrFalse,
    speechConfig: anyObject,
    thinkingConfig: exact(
      {},
      {
        includeThoughts: trueOrFalse,
        thinkingBudget: (value, place) =>
          typeof value === 'number' && Number.isInteger(value) && value >= -1
            ? undefined
            : `${place}: must be a whole number`,
        thinkingLevel,
      },
    ),
    imageConfig: anyObject,
    mediaResolution: anyText,
  },
);

export const requestShape: Shape = exact(
  { contents: listOf(content) },
  {
    model: anyText,
    systemInstruction: exact({ parts }, { role: anyText }),
    tools: listOf(tool),
    toolConfig: exact(
      {},
      {
        functionCallingConfig: exact(
          {},
          { mode: oneOf('AUTO', 'ANY', 'NONE', 'VALIDATED'), allowedFunctionNames: listOf(functionName) },
        ),
        retrievalConfig: anyObject,
        includeServerSideToolInvocations: trueOrFalse,
      },
    ),
    safetySettings: listOf(exact({ category: anyText, threshold: anyText })),
    generationConfig,
    cachedContent: anyText,
    serviceTier: anyText,
    store: trueOrFalse,
    continuationToken: anyText,
  },
);

/** What the first part that the check finds fault with says. */
export function firstPartProblem(
  list: unknown,
  place: string,
  check: (part: Readonly<Record<string, unknown>>, place: string) => string | undefined,
): string | undefined {
  if (!Array.isArray(list)) return undefined;
  return firstProblem(list.filter(isWire), (member, index) => check(member, `${place}.parts.${index}`));
}
