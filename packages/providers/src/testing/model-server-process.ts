#!/usr/bin/env node
import { appendFileSync, fstatSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isRondoError } from '@rondo/protocol/values';
import { readScriptFile } from '../scripted/read-script.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { startModelServer, type ModelServerOptions } from './start-model-server.ts';

const usage = `usage: rondo-model-server SCRIPT [--order once|cycle|conversation] [--record REQUESTS.jsonl]

Speaks the APIs of model vendors on a free port of 127.0.0.1 and says what the script says: a YAML or JSON file, the same
that rondo --model scripted/SCRIPT plays. Prints its URL. Ends by SIGTERM, SIGINT or the end of its standard input where
that is a pipe; exits with 1 when a request was refused, had no step or not what its step expects, or a step was not used
where the script says that it has to be, and tells it on standard error.
`;

const orders = ['once', 'cycle', 'conversation'] as const;

/** Runs one server until it is told to end, and returns the exit code. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { order: { type: 'string' }, record: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const [file, more] = positionals;
  const order = orders.find((known) => known === values.order);
  if (file === undefined || more !== undefined || (order === undefined && values.order !== undefined)) {
    process.stderr.write(usage);
    return 2;
  }
  const server = await startModelServer({
    script: await readScriptFile(file),
    ...(order && { order }),
    ...recorder(values.record),
  });
  const end = told();
  process.stdout.write(`${server.url}\n`);
  await end;
  try {
    await server.close();
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

function recorder(file: string | undefined): Pick<ModelServerOptions, 'onRequest'> {
  if (file === undefined) return {};
  return {
    onRequest({ index, method, path, headers, body, connection, refused }: RecordedRequest) {
      appendFileSync(file, `${JSON.stringify({ index, method, path, headers, body, connection, refused })}\n`);
    },
  };
}

/** Listens from the moment it is called: whoever has read the URL may end the process at once. */
function told(): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    process.once('SIGTERM', end);
    process.once('SIGINT', end);
    const input = fstatSync(0);
    if (input.isFIFO() || input.isSocket()) process.stdin.once('end', end).once('error', end).resume();
  });
}

/** A flag that is none and a script that cannot be played are the caller's mistakes; the rest is ours. */
async function exitCode(): Promise<number> {
  try {
    return await main();
  } catch (error) {
    const isFlag = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    if (!isRondoError(error) && !isFlag) throw error;
    process.stderr.write(`${error.message}\n${isFlag ? usage : ''}`);
    return 2;
  }
}

// The process ends by itself once its handles are closed; standard input may still be one.
process.exit(await exitCode());
