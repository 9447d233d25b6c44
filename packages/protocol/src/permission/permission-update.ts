import { z } from 'zod';
import { openObject } from '../json/open-object.ts';

/** How far the runtime may go without asking. A mode only ever chooses between asking, allowing and refusing. */
export const PermissionMode = z.enum(['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto']);
export type PermissionMode = z.infer<typeof PermissionMode>;

export const PermissionBehavior = z.enum(['allow', 'deny', 'ask']);
export type PermissionBehavior = z.infer<typeof PermissionBehavior>;

/** `Tool` or `Tool(content)`, in parts. */
export const PermissionRuleValue = openObject({
  toolName: z.string(),
  ruleContent: z.string().optional(),
  /** The content holds no pattern, whatever its characters: a `*` in it is a star. */
  literal: z.boolean().optional(),
});
export type PermissionRuleValue = z.infer<typeof PermissionRuleValue>;

export const PermissionUpdateDestination = z.enum([
  'userSettings',
  'projectSettings',
  'localSettings',
  'session',
  'cliArg',
]);
export type PermissionUpdateDestination = z.infer<typeof PermissionUpdateDestination>;

const rules = {
  rules: z.array(PermissionRuleValue),
  behavior: PermissionBehavior,
  destination: PermissionUpdateDestination,
};
const directories = { directories: z.array(z.string()), destination: PermissionUpdateDestination };

/** A change to the policy that an answer may carry. */
export const PermissionUpdate = z.discriminatedUnion('type', [
  openObject({ type: z.literal('addRules'), ...rules }),
  openObject({ type: z.literal('replaceRules'), ...rules }),
  openObject({ type: z.literal('removeRules'), ...rules }),
  openObject({ type: z.literal('setMode'), mode: PermissionMode, destination: PermissionUpdateDestination }),
  openObject({ type: z.literal('addDirectories'), ...directories }),
  openObject({ type: z.literal('removeDirectories'), ...directories }),
]);
export type PermissionUpdate = z.infer<typeof PermissionUpdate>;
