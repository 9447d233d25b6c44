import type { ErrorReading } from '../ai-sdk/ai-sdk-error.ts';
import { commonErrors } from '../ai-sdk/ai-sdk-error.ts';

/** Mistral writes `message` and `type` beside each other; gateways of it a `detail`; both are read as most vendors'. */
export const mistralErrors: ErrorReading = {
  parseErrorBody: commonErrors.parseErrorBody,
  errorCode({ type, message }, status) {
    if (status === undefined) return type === 'rate_limited' ? 'model.rate_limited' : undefined;
    if (status === 400 && /too large for model|exceeds? .*(context|length)|prompt contains \d+ tokens/i.test(message)) {
      return 'model.prompt_too_long';
    }
    // The vendor's word for a model that has no room at the moment.
    if (status === 429 && /capacity/i.test(`${type} ${message}`)) return 'model.overloaded';
    return status === 422 ? 'model.request_invalid' : undefined;
  },
  requestIdHeader: 'mistral-correlation-id',
};
