import { firstProblem, isWire, type Wire } from '../request-guards.ts';
import type { ReasoningSigner } from '../reasoning-signature.ts';
import { firstPartProblem, requestShape } from './request-shape.ts';
import { isOwnCallId, signedPart } from './signed-part.ts';

export interface CheckRequestOptions {
  readonly model: string;
  readonly signer: ReasoningSigner;
}

/** The documented word in place of a signature, for calls that another model made. */
const noSignature = 'skip_thought_signature_validator';

/**
 * What is wrong with a request by the rules of the public reference, said with the place where it is wrong, or
 * undefined. Signatures are checked on every turn, where the API checks the last one only.
 */
export function checkRequest(body: unknown, options: CheckRequestOptions): string | undefined {
  const problem = requestShape(body, '');
  if (problem !== undefined || !isWire(body)) return problem ?? 'the body is not a JSON object';
  const contents = (body['contents'] as readonly unknown[]).filter(isWire);
  return (
    checkOrder(contents) ??
    checkPairs(contents) ??
    firstProblem(contents, (content, index) => checkSignatures(content, `contents.${index}`, options)) ??
    checkTools(body['tools']) ??
    checkThinking(body, options.model)
  );
}

function checkOrder(contents: readonly Wire[]): string | undefined {
  const [first] = contents;
  if (first === undefined) return 'contents: contents is not specified';
  if (first['role'] === 'model') return 'contents.0: the first content must be with role user';
  const last = contents.at(-1);
  if (last?.['role'] === 'model') return `contents.${contents.length - 1}: the last content must be with role user`;
  const early = contents.findIndex(
    (content, index) => index > 0 && callsOf(content).length > 0 && contents[index - 1]?.['role'] === 'model',
  );
  if (early === -1) return undefined;
  return `contents.${early}: function call turn must come immediately after a user turn or after a function response turn`;
}

function partsOf(content: Wire | undefined, kind: string): readonly Wire[] {
  const parts = content?.['parts'];
  return (Array.isArray(parts) ? parts : []).filter(isWire).flatMap((part) => (isWire(part[kind]) ? [part[kind]] : []));
}

function callsOf(content: Wire | undefined): readonly Wire[] {
  return partsOf(content, 'functionCall');
}

/** As many responses as calls, of the same functions, right behind them. */
function checkPairs(contents: readonly Wire[]): string | undefined {
  return firstProblem(contents, (content, index) => {
    const place = `contents.${index}`;
    const calls = callsOf(contents[index - 1]);
    const responses = partsOf(content, 'functionResponse');
    if (responses.length !== calls.length) {
      return `${place}: the number of function response parts (${responses.length}) must be equal to the number of function call parts of the function call turn (${calls.length})`;
    }
    return firstProblem(responses, (response, at) => {
      const call = calls[at];
      if (response['name'] !== call?.['name'])
        return `${place}.parts.${at}: is a response of ${String(response['name'])}, where ${String(call?.['name'])} was called`;
      return response['id'] === call?.['id']
        ? undefined
        : `${place}.parts.${at}.functionResponse.id: ${String(response['id'])} names no call of the turn before in this place`;
    });
  });
}

function checkSignatures(content: Wire, place: string, { model, signer }: CheckRequestOptions): string | undefined {
  const [firstCall] = callsOf(content);
  return firstPartProblem(content['parts'], place, (part, at) => {
    const { thoughtSignature: signature, functionCall: call } = part;
    if (signature === noSignature && isWire(call)) {
      return isOwnCallId(call['id'], { model, signer })
        ? `${at}: the thought_signature of this call was sent with it, and is lost`
        : undefined;
    }
    if (typeof signature === 'string') {
      return signer.verify(signedPart(part), signature)
        ? undefined
        : `${at}.thoughtSignature: Corrupted thought signature.`;
    }
    const needed = call !== undefined && call === firstCall && !isOlder(model);
    return needed ? `${at}: Function call is missing a thought_signature in functionCall parts.` : undefined;
  });
}

function isOlder(model: string): boolean {
  return /^gemini-[12][.-]/.test(model);
}

function checkTools(tools: unknown): string | undefined {
  const lists = (Array.isArray(tools) ? tools : []).filter(isWire).map((tool) => tool['functionDeclarations']);
  const names = lists.flatMap((list) =>
    Array.isArray(list) ? list.filter(isWire).map(({ name }) => String(name)) : [],
  );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `tools: Duplicate function declaration found: ${twice}`;
}

function checkThinking(body: Wire, model: string): string | undefined {
  const generation = body['generationConfig'];
  const thinking = isWire(generation) ? generation['thinkingConfig'] : undefined;
  if (!isWire(thinking)) return undefined;
  const { thinkingLevel: level, thinkingBudget: budget } = thinking;
  const place = 'generationConfig.thinkingConfig';
  if (level !== undefined && budget !== undefined)
    return `${place}: thinking_level and thinking_budget exclude each other`;
  if (level !== undefined && isOlder(model))
    return `${place}.thinkingLevel: Thinking level is not supported for this model.`;
  if (String(level).toLowerCase() === 'minimal' && /-pro|^gemini-4/.test(model))
    return `${place}.thinkingLevel: minimal is not supported for this model.`;
  if (typeof budget !== 'number' || budget === -1) return undefined;
  const [least, most] = /2\.5-pro/.test(model) ? [128, 32_768] : /flash-lite/.test(model) ? [512, 24_576] : [1, 24_576];
  const mayBeNone = !/2\.5-pro/.test(model);
  if (budget > most || (budget < least && !(budget === 0 && mayBeNone))) {
    return `${place}.thinkingBudget: The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`;
  }
  return undefined;
}
