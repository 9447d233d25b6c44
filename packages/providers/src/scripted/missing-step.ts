import { RondoError } from '@rondo/protocol/values';
import type { ModelRequest } from '@rondo/runtime';
import { renderSaid } from './render-difference.ts';
import { countReplies, saidByUser } from './said-request.ts';

/** The refusal of a request for which there is nothing to say. `problem` ends where the conversation's state is told. */
export async function missingStep(problem: string, request: ModelRequest): Promise<RondoError> {
  const replies = countReplies(request);
  const state = `the conversation holds ${replies} ${replies === 1 ? 'answer' : 'answers'} already`;
  const said = await renderSaid(saidByUser(request, request.messages.length - 1));
  return new RondoError('model.request_invalid', `${problem}, and ${state}. The request ends with:\n${said}`, {
    details: { reason: 'no_step', replies },
  });
}
