import { spawn, type ChildProcess } from 'node:child_process';
import { type RondoExit, type RondoOptions, rondoProgram } from './spawn-rondo.ts';

export type Line = Readonly<Record<string, unknown>>;

/** `rondo` as the peer of a program that writes and reads its lines. */
export interface StdioClient extends AsyncDisposable {
  readonly child: ChildProcess;
  /** All lines so far. */
  readonly lines: readonly Line[];
  write(...frames: object[]): void;
  /** Bytes as they are. */
  writeRaw(bytes: string | Uint8Array): void;
  /** The first line that fits, from the last one that was waited for on. Rejects when the process ends without it. */
  next(what: string, fits: (line: Line) => boolean): Promise<Line>;
  /** A message or frame by its type, and subtype. */
  line(type: string, subtype?: string): Promise<Line>;
  /** Sends a control request and gives the whole `response` of its answer. */
  control(subtype: string, fields?: object): Promise<Line>;
  /** The next request of the peer, its ID beside its fields. */
  asked(subtype: string): Promise<Line & { readonly request_id: string }>;
  answer(requestId: string, response: object): void;
  say(text: string, more?: object): void;
  /** End of input. */
  end(): void;
  readonly exit: Promise<RondoExit>;
}

export const baseline = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

export interface StdioClientOptions extends RondoOptions {
  /** The command in place of its sources. */
  readonly program?: readonly string[];
}

export function startStdioClient(
  argv: readonly string[],
  { cwd, env, program = rondoProgram }: StdioClientOptions,
): StdioClient {
  const child = spawn(process.execPath, [...program, ...baseline, ...argv], { cwd, env, stdio: 'pipe' });
  const lines: Line[] = [];
  const looks = new Set<() => void>();
  const printed = { stdout: '', stderr: '' };
  let rest = '';
  let place = 0;
  let ended = false;
  let requests = 0;
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (printed.stderr += piece));
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    printed.stdout += piece;
    const parts = `${rest}${piece}`.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) lines.push(JSON.parse(part) as Line);
    for (const look of looks) look();
  });
  const exit = new Promise<RondoExit>((resolve) => {
    child.once('close', (exitCode) => {
      ended = true;
      for (const look of looks) look();
      resolve({ ...printed, exitCode });
    });
  });

  function find(what: string, from: () => number, fits: (line: Line) => boolean, found: (at: number) => void) {
    return new Promise<Line>((resolve, reject) => {
      const look = (): void => {
        const at = lines.findIndex((line, index) => index >= from() && fits(line));
        const line = lines[at];
        if (line === undefined && !ended) return;
        looks.delete(look);
        if (line === undefined)
          return reject(new Error(`ended without ${what}:\n${printed.stdout}\n${printed.stderr}`));
        found(at);
        resolve(line);
      };
      looks.add(look);
      look();
    });
  }

  const client: StdioClient = {
    child,
    lines,
    exit,
    write: (...frames) => void child.stdin.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join('')),
    writeRaw: (bytes) => void child.stdin.write(bytes),
    next: (what, fits) =>
      find(
        what,
        () => place,
        fits,
        (at) => (place = at + 1),
      ),
    line: (type, subtype) =>
      client.next(
        `${type}/${subtype}`,
        (line) => line['type'] === type && (subtype ?? line['subtype']) === line['subtype'],
      ),
    async control(subtype, fields = {}) {
      const id = `r${(requests += 1)}`;
      client.write({ type: 'control_request', request_id: id, request: { subtype, ...fields } });
      const isAnswer = (line: Line): boolean =>
        line['type'] === 'control_response' && (line['response'] as Line)['request_id'] === id;
      return (
        await find(
          `the answer to ${subtype}`,
          () => 0,
          isAnswer,
          () => {},
        )
      )['response'] as Line;
    },
    async asked(subtype) {
      const line = await client.next(
        `a request ${subtype}`,
        ({ type, request }) => type === 'control_request' && (request as Line)['subtype'] === subtype,
      );
      return { ...(line['request'] as Line), request_id: String(line['request_id']) };
    },
    answer: (requestId, response) =>
      client.write({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } }),
    say: (text, more = {}) =>
      client.write({
        type: 'user',
        message: { role: 'user', content: [{ type: 'text', text }] },
        parent_tool_use_id: null,
        session_id: '',
        ...more,
      }),
    end: () => void child.stdin.end(),
    async [Symbol.asyncDispose]() {
      if (!ended) child.kill('SIGKILL');
      await exit;
    },
  };
  return client;
}
