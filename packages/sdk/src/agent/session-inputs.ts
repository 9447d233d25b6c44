import type { JsonObject, JsonValue } from '@rondo/protocol';
import { isSessionInputValue, type LoopHook, type SessionInputValue, type Tool } from '@rondo/runtime';

/** What a session starts with: values made by the inputs, or values under the inputs' IDs. */
export type GivenInputs = readonly SessionInputValue[] | Readonly<Record<string, SessionInputValue | JsonValue>>;

/** The values by input ID. @throws TypeError for what is none, or is given twice; the message holds no value. */
export function inputValues(given: GivenInputs): JsonObject {
  const values: JsonObject = {};
  const put = (inputId: string, value: JsonValue): void => {
    if (Object.hasOwn(values, inputId)) throw new TypeError(`sessionInputs has two values for "${inputId}"`);
    Object.defineProperty(values, inputId, { value, enumerable: true });
  };
  if (isList(given)) {
    for (const [index, value] of given.entries()) {
      if (!isSessionInputValue(value))
        throw new TypeError(`sessionInputs[${index}] is no value of an input; make it with the input's value()`);
      put(value.inputId, value.value);
    }
    return values;
  }
  if (typeof given !== 'object' || given === null)
    throw new TypeError('sessionInputs is a list of values made by inputs, or an object of values by input ID');
  for (const [inputId, value] of Object.entries(given)) {
    if (isSessionInputValue(value) && value.inputId !== inputId)
      throw new TypeError(`sessionInputs has a value of "${value.inputId}" under "${inputId}"`);
    put(inputId, isSessionInputValue(value) ? value.value : value);
  }
  return values;
}

function isList(given: GivenInputs): given is readonly SessionInputValue[] {
  return Array.isArray(given);
}

interface Declaring {
  readonly tools: readonly Tool[];
  readonly guardrails: readonly LoopHook[];
  readonly hooks: readonly LoopHook[];
}

/** @throws TypeError where two definitions share an ID: each input is defined once, and everybody names that. */
export function checkInputsDefinedOnce({ tools, guardrails, hooks }: Declaring): void {
  const defined = new Map<string, unknown>();
  for (const { name, inputs } of [...tools, ...guardrails, ...hooks]) {
    for (const input of Object.values(inputs ?? {})) {
      const known = defined.get(input.inputId);
      if (known !== undefined && known !== input)
        throw new TypeError(
          `${name} has another definition of the session input "${input.inputId}"; define it once and name that`,
        );
      defined.set(input.inputId, input);
    }
  }
}
