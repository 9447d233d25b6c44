import { fstatSync, readFileSync } from 'node:fs';
import { RondoError } from '@rondo/protocol/values';

const largest = 10 * 1024 * 1024;

export interface PromptSources {
  readonly argument: string | undefined;
  /** Called when nothing has come from a pipe that is still open, and the argument is used alone. */
  readonly onSilentPipe: () => void;
  /** How long an open pipe may stay silent when there is an argument to go on with. */
  readonly patienceMs: number;
}

/**
 * The prompt: the argument, what is piped in, or the argument and then what is piped in. Undefined when both are empty.
 * @throws RondoError `input.invalid` when more is piped in than a prompt may hold.
 */
export async function readPrompt({ argument, onSilentPipe, patienceMs }: PromptSources): Promise<string | undefined> {
  const asked = argument?.trim() === '' ? undefined : argument;
  const piped = (await readPiped(asked === undefined ? undefined : patienceMs, onSilentPipe)).trim();
  if (piped === '') return asked;
  return asked === undefined ? piped : `${asked}\n\n${piped}`;
}

async function readPiped(patienceMs: number | undefined, onSilentPipe: () => void): Promise<string> {
  if (process.stdin.isTTY) return '';
  const kind = fstatSync(0);
  // A file and /dev/null end by themselves: read at once, without a stream.
  if (!kind.isFIFO() && !kind.isSocket()) {
    if (kind.isFile() && kind.size > largest) throw tooLarge();
    return readFileSync(0, 'utf8');
  }
  return readStream(process.stdin, patienceMs, onSilentPipe);
}

function readStream(
  stream: NodeJS.ReadStream,
  patienceMs: number | undefined,
  onSilentPipe: () => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const patience =
      patienceMs === undefined
        ? undefined
        : setTimeout(() => {
            onSilentPipe();
            finish();
          }, patienceMs);
    const onData = (piece: string): void => {
      clearTimeout(patience);
      text += piece;
      if (text.length > largest) finish(tooLarge());
    };
    const onEnd = (): void => finish();
    const finish = (error?: Error): void => {
      clearTimeout(patience);
      stream.off('data', onData).off('end', onEnd).off('error', finish);
      // An open pipe would keep the process alive.
      stream.destroy();
      if (error === undefined) resolve(text);
      else reject(error);
    };
    stream.setEncoding('utf8').on('data', onData).on('end', onEnd).on('error', finish);
  });
}

function tooLarge(): RondoError {
  return new RondoError(
    'input.invalid',
    `More than ${largest / 1024 / 1024} MiB were piped in. Put it in a file and name the file in the prompt.`,
  );
}
