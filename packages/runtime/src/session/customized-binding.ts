import type { AgentCustomization, AgentCustomizationChange } from '@rondo/protocol';
import { nearestNames, RondoError } from '@rondo/protocol/values';
import type { Binding } from '../turn/binding.ts';

/** Each field, and what is wrong with a value of it; the wire's schema says the same of what comes over a wire. */
const problems = {
  model: (value) => (typeof value === 'string' && value.trim() !== '' ? undefined : 'is the name of a model'),
  instructions: (value) => (typeof value === 'string' ? undefined : 'is a text'),
  reasoningEffort: oneOf('off', 'low', 'medium', 'high', 'xhigh', 'max'),
  temperature: (value) =>
    typeof value === 'number' && value >= 0 && value <= 2 ? undefined : 'is a number from 0 to 2',
  maxIterations: (value) =>
    Number.isSafeInteger(value) && Number(value) >= 1 ? undefined : 'is a whole number from 1',
  permissionMode: oneOf('auto', 'ask', 'deny'),
} satisfies Record<keyof AgentCustomization, (value: unknown) => string | undefined>;

/** What is left of a customization after a change: nulls are taken out, the rest is laid over it. */
export function changedCustomization(
  before: AgentCustomization | undefined,
  change: AgentCustomizationChange,
): AgentCustomization {
  const fields = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(fields);
}

/**
 * What a session with a customization works with: the same agent, otherwise equipped.
 * @throws RondoError `input.invalid` for a customization that cannot be, `session.procedure_unsupported` where the agent
 * takes none, and what the binding itself says, such as `model.unknown`.
 */
export async function customizedBinding(
  binding: Binding,
  customization: AgentCustomization | undefined,
): Promise<Binding> {
  if (customization === undefined || Object.keys(customization).length === 0) return binding;
  for (const [field, value] of Object.entries(customization)) checkField(field, value);
  const { agent, customize } = binding;
  if (customize === undefined) {
    throw new RondoError(
      'session.procedure_unsupported',
      `sessions of the agent "${agent.name}" cannot be customized: its binding has no customize function`,
      { details: { agent: agent.name, procedure: 'customize' } },
    );
  }
  const customized = await customize(customization);
  // Whose session it is does not change: every process with the agent can go on with it.
  return { ...customized, agent };
}

/** For the life of a session: what is customized alike is one binding, as long as it is the last one. */
export function createCustomizer(): typeof customizedBinding {
  let last: { readonly binding: Binding; readonly key: string; readonly customized: Promise<Binding> } | undefined;
  return async (binding, customization) => {
    if (customization === undefined || Object.keys(customization).length === 0) return binding;
    const key = JSON.stringify(customization);
    if (last?.binding !== binding || last.key !== key) {
      const customized = customizedBinding(binding, customization);
      last = { binding, key, customized };
      customized.catch(() => {
        if (last?.customized === customized) last = undefined;
      });
    }
    return await last.customized;
  };
}

function checkField(field: string, value: unknown): void {
  const names = Object.keys(problems);
  if (!isField(field)) {
    const [nearest] = nearestNames(field, names);
    throw invalid(
      `agent.${field} cannot be customized${nearest === undefined ? '' : `; did you mean "${nearest}"?`} What can: ${names.join(', ')}`,
      field,
    );
  }
  const problem = problems[field](value);
  if (problem !== undefined) throw invalid(`agent.${field} is ${JSON.stringify(value)}; it ${problem}`, field);
}

function isField(field: string): field is keyof typeof problems {
  return Object.hasOwn(problems, field);
}

function oneOf(...values: readonly string[]): (value: unknown) => string | undefined {
  return (value) => (values.some((one) => one === value) ? undefined : `is one of ${values.join(', ')}`);
}

function invalid(message: string, field: string): RondoError {
  return new RondoError('input.invalid', message, { details: { field: `agent.${field}` } });
}
