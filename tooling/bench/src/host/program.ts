import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process that answers questions, by the type of each answer. */
export interface Program<Answers> extends Disposable {
  ask<Question extends keyof Answers & string>(question: Question): Promise<Answers[Question]>;
}

/** Starts a program of this folder, which calls {@link answerParent}. It ends with its parent, or when it is disposed. */
export function startProgram<Answers>(name: string, args: readonly string[]): Program<Answers> {
  const child = fork(fileURLToPath(new URL(`${name}.ts`, import.meta.url)), args, {
    execArgv: [...process.execArgv, '--expose-gc'],
    serialization: 'advanced',
  });
  const waiting: PromiseWithResolvers<unknown>[] = [];
  child.on('message', (value) => waiting.shift()?.resolve(value));
  child.on('exit', (code) => {
    for (const one of waiting.splice(0)) one.reject(new Error(`The bench's ${name} ended with code ${code}.`));
  });
  return {
    ask(question) {
      const answer = Promise.withResolvers<unknown>();
      waiting.push(answer);
      child.send(question);
      return answer.promise as Promise<never>;
    },
    [Symbol.dispose]() {
      child.kill();
    },
  };
}

export type Answering<Answers> = {
  readonly [Question in keyof Answers]: () => Answers[Question] | Promise<Answers[Question]>;
};

/** The program's side. One question at a time: the answers have no names. */
export function answerParent<Answers>(answers: Answering<Answers>): void {
  async function answer(question: keyof Answers): Promise<void> {
    const value = await answers[question]();
    // `undefined` would not come through.
    process.send?.(value ?? null);
  }
  process.on('message', (question: keyof Answers) => void answer(question));
  process.on('disconnect', () => process.exit(0));
}
