import type { EventDraft } from '../event/event-draft.ts';
import { rejectedReasoningDetails } from '../event/rejected-reasoning-notice.ts';
import type { ModelRequest } from '../model/model.ts';
import type { TurnParts } from './turn-parts.ts';

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details: object;
}

/** Whether the provider refused the request because of reasoning in it that it does not know as its own. */
export function isReasoningRejected({ code, details }: Failure): boolean {
  return code === 'model.request_invalid' && 'reason' in details && details.reason === 'reasoning_rejected';
}

/** Whether the request gives anything back that the model had sealed: without it there is nothing to leave out. */
export function holdsReasoning({ messages }: ModelRequest, model: string): boolean {
  return messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.model === model &&
      message.content.some(
        (block) => block.type === 'reasoning' || ('providerData' in block && block.providerData !== undefined),
      ),
  );
}

/** Says so, for this session in whatever process: from here on the replies before it go back without their reasoning. */
export function rejectedReasoningFact({ turnId }: TurnParts, name: string, error: Failure): EventDraft {
  return {
    type: 'notice',
    turnId,
    level: 'warning',
    message: `${name} did not take back what it had reasoned before, and goes on without it: ${error.message}`,
    details: rejectedReasoningDetails(name, error),
  };
}
