import { type ClientMethodResult, clientMethods } from '@rondo/protocol';
import { ask, continueWith, reject, retry, skip } from '@rondo/runtime';

/** A client's answer as the decision of a hook in this process, which the runtime checks like any. @throws TypeError for what is none. */
export function readDecision(answer: unknown): unknown {
  const read = clientMethods['capability/call'].result.safeParse(answer);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new TypeError(`its client answered with what is no decision: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  return decisionOf(read.data.decision);
}

type Decision = ClientMethodResult<'capability/call'>['decision'];
type Change = NonNullable<Parameters<typeof continueWith>[0]>;
type Words = Parameters<typeof skip>[0];

/** Content blocks are the runtime's to check. */
function decisionOf(decision: Decision): unknown {
  switch (decision.type) {
    case 'continue': {
      const { userContent, arguments: args, result, text } = decision;
      return continueWith({
        ...(userContent === undefined ? {} : { userContent }),
        ...(args === undefined ? {} : { arguments: args }),
        ...(result === undefined ? {} : { result }),
        ...(text === undefined ? {} : { text }),
      } as Change);
    }
    case 'skip':
      return skip(decision.reason as Words);
    case 'reject':
      return reject(decision.reason as Words);
    case 'retry':
      return retry(decision.feedback as Words);
    case 'ask':
      return ask(decision.reason);
  }
}
