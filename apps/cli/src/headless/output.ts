import { randomUUID } from 'node:crypto';
import type { SDKMessage, SDKResultMessage } from '@rondo/sdk';
import type { OutputFormat } from '../command/chat-request.ts';
import type { TextWriter } from '../process/text-writer.ts';
import { printableText } from '../terminal/printable-text.ts';

/** Where a headless run's messages go. */
export interface Output {
  message(message: SDKMessage): Promise<void>;
  /** The run ended without a result of its own: programs get one all the same. People are told by who calls this. */
  failure(message: string, sessionId: string | undefined): Promise<void>;
  /** After the last message. */
  end(): Promise<void>;
}

export interface OutputOptions {
  readonly stdout: TextWriter;
  /** Text for a terminal is made safe to print; programs get it as it is. */
  readonly isTerminal: boolean;
  /** Told what is no answer, in text format. */
  readonly onErrorResult: (message: string) => void;
}

export function createOutput(format: OutputFormat, options: OutputOptions): Output {
  return { text: textOutput, json: jsonOutput, 'stream-json': streamJsonOutput }[format](options);
}

function textOutput({ stdout, isTerminal, onErrorResult }: OutputOptions): Output {
  let last: SDKResultMessage | undefined;
  return {
    async message(message) {
      if (message.type === 'result') last = message;
    },
    async failure() {},
    async end() {
      if (last === undefined) return;
      if (last.is_error || last.subtype !== 'success') return onErrorResult(resultProblem(last));
      await stdout.write(`${isTerminal ? printableText(last.result) : last.result}\n`);
    },
  };
}

function jsonOutput({ stdout }: OutputOptions): Output {
  let last: SDKResultMessage | undefined;
  return {
    async message(message) {
      if (message.type === 'result') last = message;
    },
    async failure(message, sessionId) {
      last ??= failureResult(message, sessionId);
    },
    async end() {
      if (last !== undefined) await stdout.write(`${JSON.stringify(last)}\n`);
    },
  };
}

function streamJsonOutput({ stdout }: OutputOptions): Output {
  let hasResult = false;
  return {
    async message(message) {
      if (message.type === 'result') hasResult = true;
      await stdout.write(`${JSON.stringify(message)}\n`);
    },
    async failure(message, sessionId) {
      if (!hasResult) await stdout.write(`${JSON.stringify(failureResult(message, sessionId))}\n`);
    },
    async end() {},
  };
}

/** Why there is no answer, in one sentence. */
export function resultProblem(result: SDKResultMessage): string {
  if (result.subtype === 'success') return result.result;
  if (result.errors.length > 0) return result.errors.join('\n');
  return {
    error_max_turns: `Stopped after ${result.num_turns} model calls, as --max-turns asked.`,
    error_max_budget_usd: 'Stopped at the cost that --max-budget-usd allows.',
    error_max_structured_output_retries: 'The model gave no output of the wanted form.',
    error_during_execution: 'The turn did not finish.',
  }[result.subtype];
}

/** The result of a run that had none of its own. */
export function failureResult(message: string, sessionId: string | undefined): SDKResultMessage {
  return {
    type: 'result',
    subtype: 'error_during_execution',
    uuid: randomUUID(),
    session_id: sessionId ?? '',
    duration_ms: 0,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    total_cost_usd: 0,
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: 'standard',
      speed: 'standard',
      inference_geo: '',
      iterations: [],
    },
    modelUsage: {},
    permission_denials: [],
    errors: [message],
  };
}
