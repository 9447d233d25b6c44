import { isRondoError } from '@rondo/protocol/values';

/** What a person is told of an error, and what the process exits with. */
export interface Problem {
  readonly message: string;
  readonly exitCode: 1 | 2;
}

export function problemOf(error: unknown): Problem {
  if (isRondoError(error)) {
    return { message: error.message, exitCode: error.code === 'input.invalid' ? 2 : 1 };
  }
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    message: `${what}\nThis is a fault of rondo itself. --debug-file FILE writes down what led to it.`,
    exitCode: 1,
  };
}
