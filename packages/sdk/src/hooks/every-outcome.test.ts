import { existsSync, mkdirSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HookEvent } from '@rondo/runtime';
import { call, say, type ScriptedModel } from '@rondo/runtime/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { cellCallback, cellReason, cellScript, columnOf } from '../testing/hook-cells.ts';
import { playTurns, stagePlaces, type Played, type StageOptions, type StagePlace } from '../testing/hook-stage.ts';
import type { HookCallback } from './hook-callback.ts';
import {
  hookOutcomes,
  type CallbackEnding,
  type CommandEnding,
  type CommandOutput,
  type HookResult,
} from './hook-outcomes.ts';

/** A cell of the table of outcomes. */
interface Cell {
  readonly n: number;
  readonly label: string;
  readonly expected: HookResult;
  readonly command?: { readonly ending: CommandEnding; readonly output: CommandOutput };
  readonly callback?: CallbackEnding;
}

function cellsOf(event: HookEvent): readonly Cell[] {
  const column = columnOf(event);
  const commands = hookOutcomes.command.map(({ ending, output = 'nothing', results }) => ({
    label: `${ending}, ${output}`,
    expected: results[column],
    command: { ending, output },
  }));
  const callbacks = hookOutcomes.callback.map(({ ending, results }) => ({
    label: ending,
    expected: results[column],
    callback: ending,
  }));
  return [...commands, ...callbacks].map((cell, n) => ({ n, ...cell }));
}

/** Each ending of a command with another output, and each of a callback. */
function sampleOf(event: HookEvent): readonly Cell[] {
  const cells = cellsOf(event);
  const byEnding = Map.groupBy(cells, ({ command, label }) => command?.ending ?? label);
  return [...byEnding.values()].flatMap((group, index) => group[(index * 2 + 1) % group.length] ?? []);
}

/** With it, all that a command can say which ends well, and whatever says allow or deny. */
function sampleBefore(event: HookEvent): readonly Cell[] {
  const sampled = new Set(sampleOf(event).map(({ n }) => n));
  const telling = ['JSON: allow', 'JSON: deny or block'];
  return cellsOf(event).filter(
    ({ n, command }) =>
      sampled.has(n) || (command !== undefined && (command.ending === 'exit 0' || telling.includes(command.output))),
  );
}

const root = mkdtempSync(join(tmpdir(), 'rondo-outcomes-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let stages = 0;

/** A folder in which hooks play cells. */
function setUp(event: HookEvent, cells: readonly Cell[]) {
  const place = join(root, `${(stages += 1)}`);
  const cwd = join(place, 'work');
  const ready = join(place, 'ready');
  for (const folder of [cwd, ready, join(place, 'cells')]) mkdirSync(folder, { recursive: true });
  const gates = new Map(cells.map(({ n }) => [n, Promise.withResolvers<void>()]));
  for (const { n, command } of cells) {
    if (command === undefined) continue;
    writeFileSync(join(place, 'cells', `${n}.sh`), cellScript(event, { ...command, ready: join(ready, `${n}`) }));
  }
  watch(ready, (_kind, name) => gates.get(Number(name))?.resolve()).unref();
  return {
    cwd,
    /** Plays the cell that `n` names by then, if it is one of a command. */
    script: `[ ! -f '${place}/cells/'"$n".sh ] || . '${place}/cells/'"$n".sh`,
    callback(n: number | undefined): HookCallback {
      const ending = cells.find((cell) => cell.n === n)?.callback;
      if (ending === undefined) return () => Promise.resolve();
      const play = cellCallback(event, ending, () => gates.get(n ?? -1)?.resolve());
      return async (_input, _id, { signal }) => (await play(signal)) as Awaited<ReturnType<HookCallback>>;
    },
    /** Settles once the hook of the cell waits for the stop of its turn. */
    waiting: ({ n }: Cell) => gates.get(n)?.promise ?? Promise.reject(new Error('there is no such cell')),
    options: {
      cwd,
      home: join(root, 'home'),
      env: { PATH: process.env['PATH'], HOME: place },
      settingSources: [],
    } satisfies StageOptions,
  };
}

const patiently = { timeout: 60 };
/** Longer than any process takes to write what it has to say, on a machine with time. */
const shortly = { timeout: 0.4 };

const isLate = ({ command, callback }: Cell) => command?.ending === 'out of time' || callback === 'never settles';
const isBroken = ({ command }: Cell) => command?.ending === 'could not be started';

/** Hooks of an event of calls, which play the cell that the call names. Cells with other options have a tool of their own. */
function setStage(event: HookEvent, cells: readonly Cell[]) {
  const { cwd, script, callback, waiting, options } = setUp(event, cells);
  const late = event === 'PostToolUse' ? 'Read' : 'Edit';
  const toolOf = (cell: Cell) => (isBroken(cell) ? 'Bash' : isLate(cell) ? late : 'Write');
  const asked = new Map<number | undefined, string>();
  const command = `read -r line; line=\${line##*ran-}; n=\${line%%[!0-9]*}; ${script}`;
  const hook = { type: 'command', command, ...patiently };
  const play: HookCallback = (input, id, rest) => callback(numberIn(JSON.stringify(input)))(input, id, rest);
  const inputs: Readonly<Record<string, (file_path: string) => Record<string, string>>> = {
    Write: (file_path) => ({ file_path, content: 'x' }),
    Bash: (path) => ({ command: `touch ${path}` }),
    Edit: (file_path) => ({ file_path, old_string: '', new_string: 'x' }),
    Read: (file_path) => ({ file_path }),
  };
  if (late === 'Read') for (const { n } of cells.filter(isLate)) writeFileSync(join(cwd, `ran-${n}`), 'x');
  return {
    asked,
    waiting,
    ran: ({ n }: Cell) => existsSync(join(cwd, `ran-${n}`)),
    callOf: (cell: Cell) => call(toolOf(cell), inputs[toolOf(cell)]?.(`ran-${cell.n}`) ?? {}, `cell-${cell.n}`),
    options: {
      ...options,
      hooks: {
        [event]: [
          { matcher: 'Write', hooks: [play], ...patiently },
          { matcher: late, hooks: [play], ...shortly },
        ],
      },
      settings: {
        hooks: {
          [event]: [
            { matcher: 'Write', hooks: [hook] },
            { matcher: 'Bash', hooks: [{ ...hook, command: `${command}\0` }] },
            { matcher: late, hooks: [{ ...hook, ...shortly }] },
          ],
        },
      },
      canUseTool: (_tool, input, { decisionReason = '' }) => {
        asked.set(numberIn(JSON.stringify(input)), decisionReason);
        return Promise.resolve({ behavior: 'allow', updatedInput: input });
      },
    } satisfies StageOptions,
  };
}

type Stage = ReturnType<typeof setStage>;

function numberIn(text: string): number | undefined {
  const found = /ran-(\d+)/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** What the model was told behind each call: its result, and whatever came with that. */
function toldBehind(model: ScriptedModel): ReadonlyMap<number, string> {
  const told = new Map<number, string>();
  for (const { messages } of model.requests) {
    let current: number | undefined;
    for (const message of messages) {
      if (message.role === 'assistant') current = numberIn(JSON.stringify(message.content));
      else if (current !== undefined) told.set(current, JSON.stringify(message.content));
    }
  }
  return told;
}

const failure = /failed: |had not answered/;

/** What came of a cell's call, as far as a program, a person and the model can see. */
function resultBefore(stage: Stage, played: Played, cell: Cell): string {
  const why = stage.asked.get(cell.n);
  const told = toldBehind(played.model).get(cell.n) ?? '';
  if (stage.ran(cell)) return why === undefined ? 'allowed' : why.includes(cellReason) ? 'asked' : 'no opinion';
  if (why !== undefined) return `asked, but did not run: ${told}`;
  if (cell.expected === 'aborted') return told.includes(cellReason) ? told : 'aborted';
  if (failure.test(told)) return 'failed';
  return told.includes(cellReason) ? 'denied' : `did not run: ${told}`;
}

function resultAfter(stage: Stage, played: Played, cell: Cell): string {
  const told = toldBehind(played.model).get(cell.n) ?? '';
  if (!stage.ran(cell)) return `did not run: ${told}`;
  if (told.includes(`hook blocked: ${cellReason}`)) return 'blocked';
  if (cell.expected === 'aborted') return told.includes(cellReason) ? told : 'aborted';
  const notices = played.notices.filter(({ details }) => details?.['toolUseId'] === `cell-${cell.n}`);
  return notices.some(({ message }) => failure.test(message)) ? 'failed' : 'no opinion';
}

/** One turn for all calls that end, and one for each that is stopped. */
async function playCalls(place: StagePlace, event: HookEvent, cells: readonly Cell[]): Promise<void> {
  const stage = setStage(event, cells);
  const stopped = cells.filter(({ expected }) => expected === 'aborted');
  const ending = cells.filter((cell) => !stopped.includes(cell));
  const played = await playTurns(place, stage.options, [
    { steps: [...ending.map(stage.callOf), say('done')] },
    ...stopped.map((cell) => ({ steps: [stage.callOf(cell)], stop: stage.waiting(cell) })),
  ]);
  const resultOf = event === 'PostToolUse' ? resultAfter : resultBefore;
  const results = cells.map((cell) => [cell.label, resultOf(stage, played, cell)]);
  expect(results).toEqual(cells.map(({ label, expected }) => [label, expected]));
  expect(new Set(played.endings.slice(1))).toEqual(new Set(stopped.length === 0 ? [] : [interrupted(place)]));
}

const interrupted = (place: StagePlace) => (place === 'subagent' ? 'interrupted' : 'aborted_tools');

async function playDeferred(place: StagePlace, cell: Cell): Promise<void> {
  const stage = setStage('PreToolUse', [cell]);
  const isSubagent = place === 'subagent';
  const steps = [stage.callOf(cell), ...(isSubagent ? [say('done')] : [])];
  const played = await playTurns(place, stage.options, [{ steps }]);
  expect([stage.ran(cell), stage.asked.size]).toEqual([false, 0]);
  if (isSubagent) expect(toldBehind(played.model).get(cell.n)).toContain('cannot wait');
  else expect(played.endings).toEqual(['tool_deferred']);
}

/** An event at which nothing can be stopped: each cell in a turn that it begins. */
async function playBeginning(place: StagePlace, event: HookEvent, cell: Cell): Promise<readonly string[]> {
  const { script, callback, waiting, options } = setUp(event, [cell]);
  const time = isLate(cell) ? shortly : patiently;
  // The turn before it, which a resumed session has, begins one too.
  const matcher = place === 'resumed session' ? 'resume' : '';
  const command = `n=${cell.n}; ${script}${isBroken(cell) ? '\0' : ''}`;
  const hooks =
    cell.command === undefined
      ? { hooks: { [event]: [{ matcher, hooks: [callback(cell.n)], ...time }] } }
      : { settings: { hooks: { [event]: [{ matcher, hooks: [{ type: 'command', command, ...time }] }] } } };
  const isStopped = cell.expected === 'aborted';
  const turn = isStopped ? { steps: [], stop: waiting(cell) } : { steps: [say('done')] };
  const { endings, notices } = await playTurns(place, { ...options, ...hooks }, [turn]);
  const said = notices.map(({ message }) => message);
  if (endings[0] !== 'completed') return [cell.label, isStopped ? 'aborted' : `${endings[0]}`];
  if (said.some((message) => failure.test(message))) return [cell.label, 'failed'];
  return [cell.label, said.some((message) => message === cellReason) ? 'told' : 'no opinion'];
}

/**
 * Each ending with one output, and in a query before a call with those that say something: all cells in every place with
 * `RONDO_EVERY_OUTCOME=1`, which takes minutes. How each cell is judged at every event, `hook-outcomes.test.ts` shows without processes.
 */
const patience = 180_000;

const isWhole = process.env['RONDO_EVERY_OUTCOME'] === '1';

describe.each(stagePlaces)('in a %s', (place) => {
  const some = isWhole ? cellsOf : sampleOf;
  test('each outcome before a call is the documented one', { timeout: patience }, async () => {
    const cells = place === 'query' && !isWhole ? sampleBefore('PreToolUse') : some('PreToolUse');
    const deferring = cells.filter(({ expected }) => expected === 'deferred');
    await playCalls(
      place,
      'PreToolUse',
      cells.filter((cell) => !deferring.includes(cell)),
    );
    for (const cell of deferring) await playDeferred(place, cell);
  });

  test('each outcome at the question is the documented one', { timeout: patience }, async () => {
    await playCalls(place, 'PermissionRequest', some('PermissionRequest'));
  });

  test('each outcome after a call is the documented one', { timeout: patience }, async () => {
    await playCalls(place, 'PostToolUse', some('PostToolUse'));
  });

  test('each outcome where nothing can be stopped is the documented one', { timeout: patience }, async () => {
    const event = place === 'subagent' ? 'SubagentStart' : 'SessionStart';
    const cells = some(event);
    const results: (readonly string[])[] = [];
    for (const cell of cells) results.push(await playBeginning(place, event, cell));
    expect(results).toEqual(cells.map(({ label, expected }) => [label, expected]));
  });
});
