import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import { PermissionMode } from '../permission/permission-update.ts';

/** A command that a prompt may begin with, such as `/compact`. */
export const SlashCommand = openObject({
  name: z.string(),
  description: z.string(),
  argumentHint: z.string(),
  aliases: z.array(z.string()).optional(),
});
export type SlashCommand = z.infer<typeof SlashCommand>;

/** A model that a session may be given. */
export const ModelInfo = openObject({
  value: z.string(),
  /** What a short name means, as the messages name it. */
  resolvedModel: z.string().optional(),
  displayName: z.string(),
  description: z.string(),
  supportsEffort: z.boolean().optional(),
  supportedEffortLevels: z.array(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])).optional(),
  supportsAdaptiveThinking: z.boolean().optional(),
  supportsFastMode: z.boolean().optional(),
  supportsAutoMode: z.boolean().optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

/** An agent that a session's model may start. */
export const AgentInfo = openObject({ name: z.string(), description: z.string(), model: z.string().optional() });
export type AgentInfo = z.infer<typeof AgentInfo>;

/** Whose key pays. Of these only `apiKeySource` means something here: the variable, or `apiKeyHelper`. */
export const AccountInfo = openObject({
  email: z.string().optional(),
  organization: z.string().optional(),
  subscriptionType: z.string().optional(),
  tokenSource: z.string().optional(),
  apiKeySource: z.string().optional(),
});
export type AccountInfo = z.infer<typeof AccountInfo>;

/** What a session offers, as it was when the client asked. */
export const SDKControlInitializeResponse = openObject({
  commands: z.array(SlashCommand),
  agents: z.array(AgentInfo),
  output_style: z.string(),
  available_output_styles: z.array(z.string()),
  models: z.array(ModelInfo),
  account: AccountInfo,
  fast_mode_state: z.enum(['off', 'cooldown', 'on']).optional(),
  /** Once the session is open. */
  current_permission_mode: PermissionMode.optional(),
});
export type SDKControlInitializeResponse = z.infer<typeof SDKControlInitializeResponse>;

/** What giving files back their state of a former message came to, or would come to. */
export const RewindFilesResult = openObject({
  canRewind: z.boolean(),
  error: z.string().optional(),
  filesChanged: z.array(z.string()).optional(),
  insertions: z.number().optional(),
  deletions: z.number().optional(),
});
export type RewindFilesResult = z.infer<typeof RewindFilesResult>;
