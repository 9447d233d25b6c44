import { z } from 'zod';
import { openObject } from '../json/open-object.ts';
import { line } from './message-line.ts';

/**
 * Kinds that the second seed's peer sends beside its declared union. Its clients hand on what they do not know, so a
 * program that reads the declared kinds alone is not disturbed by them.
 */

/** Where a user message is that its sender gave a uuid. */
export const SDKCommandLifecycleMessage = openObject({
  type: z.literal('command_lifecycle'),
  ...line,
  command_uuid: z.string(),
  state: z.enum(['queued', 'started', 'completed', 'cancelled']),
});
export type SDKCommandLifecycleMessage = z.infer<typeof SDKCommandLifecycleMessage>;

/** The session has another title. */
export const SDKSessionTitleChangedMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('session_title_changed'),
  ...line,
  title: z.string(),
});
export type SDKSessionTitleChangedMessage = z.infer<typeof SDKSessionTitleChangedMessage>;

/** The turn goes on with the model that was named for the case that the first one fails. */
export const SDKModelFallbackMessage = openObject({
  type: z.literal('system'),
  subtype: z.literal('model_fallback'),
  ...line,
  trigger: z.string(),
  original_model: z.string(),
  fallback_model: z.string(),
});
export type SDKModelFallbackMessage = z.infer<typeof SDKModelFallbackMessage>;
