import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Conversation } from './reply-bytes.ts';
import type { ServerAnswer, ServerQuestion } from './model-server.ts';

export interface ModelServer extends Disposable {
  /** Where a client is sent for this conversation. */
  baseUrl(conversation: Conversation): string;
  /** From here on a request counts as the first. */
  begin(): Promise<void>;
  report(): Promise<Extract<ServerAnswer, { type: 'report' }>>;
}

/** Starts the server's process; `folder` holds the files that it asks for. */
export async function startModelServer(folder: string): Promise<ModelServer> {
  const child = fork(fileURLToPath(new URL('model-server.ts', import.meta.url)), [folder], {
    serialization: 'advanced',
  });
  let answered = (_answer: ServerAnswer): void => {};
  let failed = (_reason: Error): void => {};
  child.on('message', (answer: ServerAnswer) => answered(answer));
  child.on('exit', (code) =>
    failed(new Error(`The bench's model server ended with code ${code}; see its message above.`)),
  );

  function next<Type extends ServerAnswer['type']>(type: Type): Promise<Extract<ServerAnswer, { type: Type }>> {
    return new Promise((resolve, reject) => {
      failed = reject;
      answered = (answer) => {
        if (isAnswer(answer, type)) resolve(answer);
        else reject(new Error(`The bench's model server said ${answer.type} where ${type} was due.`));
      };
    });
  }

  function ask<Type extends ServerAnswer['type']>(question: ServerQuestion, type: Type) {
    const answer = next(type);
    child.send(question);
    return answer;
  }

  const { port } = await next('listening');
  return {
    baseUrl: ({ calls, deltas }) => `http://127.0.0.1:${port}/calls-${calls}-deltas-${deltas}`,
    begin: async () => void (await ask('begin', 'begun')),
    report: () => ask('report', 'report'),
    [Symbol.dispose]() {
      failed = () => {};
      if (child.connected) child.disconnect();
    },
  };
}

function isAnswer<Type extends ServerAnswer['type']>(
  answer: ServerAnswer,
  type: Type,
): answer is Extract<ServerAnswer, { type: Type }> {
  return answer.type === type;
}
