import type { AgentCustomization, JsonObject } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { EventStore } from '../event/event-store.ts';
import { rootIdOf } from '../event/session-tree-id.ts';
import { problemOfInputs } from '../tool/read-inputs.ts';
import type { SessionInput } from '../tool/session-input.ts';
import type { Binding } from '../turn/binding.ts';

/**
 * What a session starts with, against what its tools and hooks declare.
 * @throws RondoError `input.invalid` naming the input that is missing, declared by nobody, or of another shape; never its
 * value.
 */
export async function checkSessionInputs(binding: Binding, given: Readonly<JsonObject> = {}): Promise<void> {
  const declared = declaredInputs(binding);
  if (declared.length === 0 && Object.keys(given).length === 0) return;
  const problem = await problemOfInputs(given, declared);
  if (problem !== undefined) throw new RondoError('input.invalid', problem);
}

/** Inputs of all tools and hooks, those of subagents too, each once. */
function declaredInputs(
  { tools = [], guardrails = [], hooks = [], subagents = [] }: Partial<Binding>,
  declared = new Map<string, SessionInput>(),
  seen = new Set<object>(),
): SessionInput[] {
  for (const { inputs } of [...tools, ...guardrails, ...hooks]) {
    for (const input of Object.values(inputs ?? {})) declared.set(input.inputId, input);
  }
  for (const definition of subagents) {
    if (seen.has(definition)) continue;
    seen.add(definition);
    declaredInputs(definition, declared, seen);
  }
  return [...declared.values()];
}

/** What a session was started with, and its forks are too: inputs are shared by its tree. */
export async function storedFacts(
  store: EventStore,
  sessionId: string,
): Promise<{ readonly inputs?: JsonObject; readonly customization?: AgentCustomization }> {
  for await (const event of store.read(rootIdOf(sessionId))) {
    if (event.type !== 'session.created') break;
    const { inputs, customization } = event;
    return {
      ...(inputs === undefined ? {} : { inputs }),
      ...(customization === undefined || event.sessionId !== sessionId ? {} : { customization }),
    };
  }
  return {};
}
