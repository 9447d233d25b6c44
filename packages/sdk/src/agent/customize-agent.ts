import type { AgentCustomization } from '@rondo/protocol';
import { RondoError } from '@rondo/protocol/values';
import type { AgentPermissionMode, Binding, Model, Policy } from '@rondo/runtime';

/** What of an agent is made anew where a session has it otherwise. */
export interface CustomizableAgent {
  readonly binding: Binding;
  readonly permissionMode: AgentPermissionMode;
  /** @throws RondoError `model.unknown`, `model.key_missing`, as for the agent's own. */
  readonly loadModel: (name: string) => Promise<Model>;
  readonly policyIn: (mode: AgentPermissionMode) => Policy;
}

/** From the widest to the narrowest. */
const modes: readonly AgentPermissionMode[] = ['auto', 'ask', 'deny'];

/** @throws RondoError `input.invalid` for a permission mode that is wider than the agent's. */
export async function customizeAgent(
  { binding, permissionMode, loadModel, policyIn }: CustomizableAgent,
  customization: AgentCustomization,
): Promise<Binding> {
  const { model, instructions, reasoningEffort, temperature, maxIterations, permissionMode: mode } = customization;
  if (mode !== undefined && modes.indexOf(mode) < modes.indexOf(permissionMode)) {
    throw new RondoError(
      'input.invalid',
      `agent.permissionMode "${mode}" is wider than the agent's own, "${permissionMode}": a session may only be narrower`,
      { details: { field: 'agent.permissionMode' } },
    );
  }
  const { thinking: _thinking, effort: _effort, ...unreasoned } = binding;
  return {
    ...(reasoningEffort === undefined ? binding : unreasoned),
    ...(model === undefined ? {} : { model: await loadModel(model) }),
    ...(instructions === undefined ? {} : { system: instructions }),
    ...reasoningOf(reasoningEffort),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxIterations === undefined ? {} : { limits: { ...binding.limits, maxTurns: maxIterations } }),
    ...(mode === undefined ? {} : { policy: policyIn(mode) }),
  };
}

/** How much the model is to reason; nothing said where nothing is given. */
export function reasoningOf(
  reasoningEffort: AgentCustomization['reasoningEffort'],
): Pick<Binding, 'thinking' | 'effort'> {
  if (reasoningEffort === undefined) return {};
  return reasoningEffort === 'off' ? { thinking: { type: 'disabled' } } : { effort: reasoningEffort };
}
