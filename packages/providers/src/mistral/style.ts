import type { ProviderStyle } from '../ai-sdk/create-ai-sdk-model.ts';
import { mistralCallId } from './call-id.ts';
import { mistralErrors } from './errors.ts';

/** Mistral's package writes files of a result into it as text, and the API takes no user's words right behind results. */
export const mistralStyle: ProviderStyle = {
  resultFiles: 'after',
  afterResults: 'Noted.',
  callId: mistralCallId,
  outputFormat: 'alone',
  errors: mistralErrors,
};
