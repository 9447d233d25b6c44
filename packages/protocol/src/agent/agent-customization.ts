import { z } from 'zod';
import { openObject } from '../json/open-object.ts';

const settings = {
  /** A name such as `provider/model`, or a short one of the agent's own. */
  model: z.string().min(1),
  /** In place of the agent's. */
  instructions: z.string(),
  reasoningEffort: z.enum(['off', 'low', 'medium', 'high', 'xhigh', 'max']),
  temperature: z.number().min(0).max(2),
  /** Most model requests of a turn. */
  maxIterations: z.number().int().positive(),
  /** Never wider than the agent's own. */
  permissionMode: z.enum(['auto', 'ask', 'deny']),
};

/** What a session has otherwise than its agent says. What is absent is the agent's. */
export const AgentCustomization = openObject({
  model: settings.model.optional(),
  instructions: settings.instructions.optional(),
  reasoningEffort: settings.reasoningEffort.optional(),
  temperature: settings.temperature.optional(),
  maxIterations: settings.maxIterations.optional(),
  permissionMode: settings.permissionMode.optional(),
});
export type AgentCustomization = z.infer<typeof AgentCustomization>;

/** What is to change of a session's customization: null gives the agent's own back, what is absent stays. */
export const AgentCustomizationChange = openObject({
  model: settings.model.nullable().optional(),
  instructions: settings.instructions.nullable().optional(),
  reasoningEffort: settings.reasoningEffort.nullable().optional(),
  temperature: settings.temperature.nullable().optional(),
  maxIterations: settings.maxIterations.nullable().optional(),
  permissionMode: settings.permissionMode.nullable().optional(),
});
export type AgentCustomizationChange = z.infer<typeof AgentCustomizationChange>;
