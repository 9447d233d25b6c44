import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type RecordedRequest,
  redactedThinking,
  reply,
  startModelServer,
  type Step,
  text,
  thinking,
  toolCall,
} from '@rondo/providers/testing';
import { pictureBytes } from '@rondo/runtime/testing';
import { Agent, defineTool } from '@rondo/sdk/agent';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { wireKey, wires, type Wire } from '../dialects/wires.ts';
import { resultOf } from '../harness/output-lines.ts';
import { createPlace, type Place } from '../harness/place.ts';
import { conversationOf } from '../harness/request-prefix.ts';
import { runCommand, startCommand } from '../harness/start-command.ts';

let place: Place;
beforeEach(() => {
  place = createPlace();
});
afterEach(() => {
  expect(place.processes()).toEqual([]);
  place[Symbol.dispose]();
});

/** The environment in which every one of the vendors is the model server. */
const environment = (url: string): Record<string, string> => Object.assign({}, ...wires.map((wire) => wire.env(url)));

const png = (width: number) => pictureBytes({ width }).toString('base64');
const pdf = Buffer.from(`%PDF-1.4\n2 0 obj <</Type /Pages /Count 2>> endobj\n${'%'.repeat(70_000)}`);

/**
 * What was sent to a model stands in what is sent to it later, byte for byte; the last message may have got more behind
 * what was in it, where nobody had answered it.
 */
function expectPrefixes(requests: readonly RecordedRequest[], dialect: string): void {
  const own = requests.filter((request) => request.dialect === dialect).map(conversationOf);
  for (const [index, later] of own.entries()) {
    const earlier = own[index - 1];
    if (earlier === undefined) continue;
    expect(later.slice(0, earlier.length - 1)).toEqual(earlier.slice(0, -1));
    expect(later[earlier.length - 1] ?? '').toContain(earlier.at(-1)?.replace(/\]?\}$/, '') ?? '');
  }
}

/** A process a turn takes its time where many tests run. */
const patience = 120_000;

const thought = (wire: Wire, turn: number): string => `thought ${turn} of ${wire.model}`;

/** One turn of a wire: it reasons, looks twice at once, and answers. */
const turnOf = (wire: Wire, turn: number, ...calls: ReturnType<typeof toolCall>[]): Step[] => [
  [thinking(thought(wire, turn)), text(`I look, ${turn}.`), ...calls],
  [thinking(`${thought(wire, turn)}, again`), text(`Seen, ${turn}.`)],
];

describe('issue 3, accept 2: a session that moves between vendors', () => {
  test(
    'by the command, with pictures and documents, each turn a process of its own',
    async () => {
      for (const width of [40, 50]) writeFileSync(join(place.project, `${width}.png`), pictureBytes({ width }));
      writeFileSync(join(place.project, 'report.pdf'), pdf);
      const read = (name: string) => toolCall('Read', { file_path: join(place.project, name) });
      const [anthropic, openai, mistral, google] = wires as [Wire, Wire, Wire, Wire];
      const order = [anthropic, openai, google, anthropic, mistral, openai, google];
      await using server = await startModelServer({
        script: order.flatMap((wire, turn) =>
          turnOf(wire, turn, read('40.png'), read('report.pdf'), ...(turn === 0 ? [read('50.png')] : [])),
        ),
        apiKey: wireKey,
      });
      for (const [turn, wire] of order.entries()) {
        const more = turn === 0 ? [] : ['--continue'];
        const args = [...more, '-p', `turn ${turn}`, '--model', wire.model];
        const run = await runCommand({ place, args, env: environment(server.url) });
        expect(run).toMatchObject({ exitCode: 0, stdout: `Seen, ${turn}.\n` });
      }
      server.assertDone();
      expect(server.requests.map(({ dialect }) => dialect)).toEqual(order.flatMap(({ dialect }) => [dialect, dialect]));
      for (const wire of wires) expectPrefixes(server.requests, wire.dialect);

      for (const [index, { text: sent }] of server.requests.entries()) {
        const asked = order[Math.floor(index / 2)] as Wire;
        for (const [turn, wire] of order.slice(0, Math.floor((index + 1) / 2)).entries())
          expect([wire.name, sent.includes(thought(wire, turn))]).toEqual([
            wire.name,
            wire === asked && wire.returnsReasoning,
          ]);
      }
      const last = server.requests.at(-1)?.text ?? '';
      expect(last.split(png(40)).length - 1).toBe(order.length);
      expect(last.split(pdf.toString('base64')).length - 1).toBe(order.length);
      expect(last.split(png(50)).length - 1).toBe(1);
      const blind = server.requests.findLast(({ dialect }) => dialect === mistral.dialect)?.text ?? '';
      expect(blind).toContain('this model takes no documents');
    },
    patience,
  );

  test(
    'interrupted in its reasoning, and resumed by another process and another vendor',
    async () => {
      const [anthropic, openai, , google] = wires as [Wire, Wire, Wire, Wire, Wire];
      const order = [anthropic, openai, google];
      // Its first piece is that long.
      const half = (index: number): string => `half of a thought no. ${index}.`;
      const cut = (index: number): Step =>
        reply([thinking(half(index) + ' And on it goes.'.repeat(20)), text('never')], {
          fault: { type: 'silence', after: { events: 6 } },
        });
      await using server = await startModelServer({
        script: [
          ...order.flatMap((wire, index) => [
            [
              thinking(thought(wire, index)),
              redactedThinkingOf(wire),
              toolCall('Bash', { command: `echo ${index}` }),
            ].flat(),
            cut(index),
          ]),
          ...order.map((wire) => reply([thinking('on'), text(`on, ${wire.name}`)])),
        ],
        apiKey: wireKey,
      });
      const env = environment(server.url);
      const stream = ['--output-format', 'stream-json', '--include-partial-messages', '--allowedTools', 'Bash'];
      for (const [index, wire] of order.entries()) {
        const more = index === 0 ? [] : ['--continue'];
        const args = [...more, '-p', `turn ${index}`, '--model', wire.model, ...stream];
        const command = startCommand({ place, args, env });
        await command.printed(half(index));
        command.child.kill('SIGINT');
        const { stdout, exitCode } = await command.exit;
        expect(exitCode).toBe(130);
        expect(resultOf(stdout)).toMatchObject({ subtype: 'error_during_execution' });
      }
      for (const wire of order) {
        const run = await runCommand({ place, args: ['--continue', '-p', 'go on', '--model', wire.model], env });
        expect(run).toMatchObject({ exitCode: 0, stdout: `on, ${wire.name}\n` });
      }
      server.assertDone();
      for (const { text: sent } of server.requests) expect(sent).not.toContain('half of a thought');
      for (const wire of order) {
        expectPrefixes(server.requests, wire.dialect);
        const last = server.requests.findLast(({ dialect }) => dialect === wire.dialect)?.text ?? '';
        for (const [index, other] of order.entries()) expect(last.includes(thought(other, index))).toBe(other === wire);
      }
    },
    patience,
  );

  test('with tools whose names no vendor takes, and calls of one reply at once', async () => {
    const names = ['files.look', `mcp__${'very_long_'.repeat(8)}tool`, '天気', '2nd'];
    const ran: string[] = [];
    const tools = names.map((name) =>
      defineTool({
        name,
        description: `The tool ${name}.`,
        input: { type: 'object', properties: { turn: { type: 'number' } } },
        effect: 'none',
        run: ({ turn }) => {
          ran.push(`${name} ${String(turn)}`);
          return `${name} says ${String(turn)}`;
        },
      }),
    );
    const order = [...wires, ...wires];
    /** The names under which the model was offered its tools, in the order of ours. */
    const offered = ({ text: sent }: RecordedRequest): string[] =>
      names.map((name) => new RegExp(`"name":"([^"]+)","description":"The tool ${name}\\."`).exec(sent)?.[1] ?? '');
    const used = new Map<number, number>();
    await using server = await startModelServer({
      script(request) {
        const turn = [...sentTurns(request)].length - 1;
        const asked = used.get(turn) ?? 0;
        used.set(turn, asked + 1);
        if (asked > 0) return [text(`Done, ${turn}.`)];
        return [thinking(`turn ${turn}`), ...offered(request).map((name) => toolCall(name, { turn }))];
      },
      apiKey: wireKey,
    });
    let sessionId: string | undefined;
    for (const [turn, wire] of order.entries()) {
      await using agent = new Agent({
        model: wire.model,
        tools,
        reasoningEffort: 'high',
        home: place.home,
        cwd: place.project,
        env: wire.env(server.url),
      });
      const session =
        sessionId === undefined ? await agent.startSession() : (await agent.openSession(sessionId)).session;
      sessionId = session.id;
      const record = await session.run(`TURN ${turn}`);
      expect(record).toMatchObject({
        type: 'completed',
        toolCalls: names.map((name) => ({ name, arguments: { turn } })),
      });
    }
    server.assertDone();
    expect(ran).toEqual(order.flatMap((_, turn) => names.map((name) => `${name} ${turn}`)));
    expect(new Set(server.requests.map((request) => offered(request).join())).size).toBe(1);
    for (const wire of wires) expectPrefixes(server.requests, wire.dialect);
  });

  test('never sends reasoning that the server would refuse: one altered byte is refused', async () => {
    const [anthropic] = wires as [Wire];
    await using server = await startModelServer({
      script: turnOf(anthropic, 0, toolCall('Bash', { command: 'true' })),
      apiKey: wireKey,
    });
    const args = ['-p', 'go', '--model', anthropic.model, '--allowedTools', 'Bash'];
    expect(await runCommand({ place, args, env: environment(server.url) })).toMatchObject({ exitCode: 0 });
    const sent = server.requests[1]?.text ?? '';
    const own = thought(anthropic, 0);
    expect(sent).toContain(own);

    const strict = await startModelServer({ script: [text('taken')] });
    const send = async (body: string): Promise<number> => {
      const headers = { 'content-type': 'application/json', 'x-api-key': wireKey, 'anthropic-version': '2023-06-01' };
      return (await fetch(`${strict.url}/v1/messages`, { method: 'POST', headers, body })).status;
    };
    expect(await send(sent)).toBe(200);
    expect(await send(sent.replace(own, own.replace('thought', 'thoughT')))).toBe(400);
    await expect(strict.close()).rejects.toThrow('request 1 was refused: messages.1.content.0: Invalid `signature`');
  });
});

const sentTurns = ({ text: sent }: RecordedRequest) => sent.matchAll(/TURN \d/g);

/** Only one of the vendors has it. */
function redactedThinkingOf(wire: Wire) {
  return wire.dialect === 'anthropic' ? [redactedThinking('c2VjcmV0')] : [];
}
