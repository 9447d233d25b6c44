import type { Pair } from '../report/statistics.ts';
import type { CommandScenario, ScenarioName } from '../scenario/command-scenarios.ts';
import { lastWord } from '../server/reply-bytes.ts';
import type { ModelServer } from '../server/start-model-server.ts';
import type { Supervisor } from './run-supervised.ts';

/** One run of one program. */
export interface Sample {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakBytes: number | undefined;
  /** From the spawn until the request's first byte reached the model. */
  readonly firstRequestMs: number | undefined;
}

/** What was measured in one round: every scenario once, each next to its floor. */
export type Round = Readonly<Record<ScenarioName, { readonly floor: Sample; readonly ours: Sample }>>;

export interface MeasureOptions {
  readonly scenarios: readonly CommandScenario[];
  readonly supervisor: Supervisor;
  readonly server: ModelServer;
  readonly warmUps: number;
  readonly runs: number;
  readonly onRound: (done: number) => void;
}

/**
 * Rounds of all scenarios, floor and command in turn, so that whatever the machine does meanwhile happens to both. The
 * first rounds fill the page cache and the compile cache and are thrown away.
 */
export async function measureCommands(options: MeasureOptions): Promise<Round[]> {
  const { scenarios, supervisor, server, warmUps, runs, onRound } = options;
  const rounds: Round[] = [];
  for (let index = -warmUps; index < runs; index += 1) {
    const measured: Partial<Record<ScenarioName, Round[ScenarioName]>> = {};
    for (const scenario of scenarios) {
      const floor = await sample(scenario, scenario.floor, supervisor, server);
      measured[scenario.name] = { floor, ours: await sample(scenario, scenario.ours, supervisor, server) };
    }
    if (index >= 0) rounds.push(whole(measured));
    onRound(index + 1);
  }
  return rounds;
}

/** Runs a program once, and holds what it did against the conversation. */
export async function sample(
  { name, conversation }: Pick<CommandScenario, 'name' | 'conversation'>,
  program: readonly string[],
  supervisor: Supervisor,
  server: ModelServer,
): Promise<Sample> {
  await server.begin();
  const env = conversation && { ANTHROPIC_BASE_URL: server.baseUrl(conversation) };
  const { startedAt, stdout, wallMs, cpuMs, peakBytes } = await supervisor.run(program, env);
  const { firstByteAt, requests } = await server.report();
  // A program that did less is not faster.
  if (conversation !== undefined && !stdout.trimEnd().endsWith(lastWord)) {
    throw new Error(`${name}: ${program.join(' ')} did not print the model's answer:\n${stdout.slice(-500)}`);
  }
  const due = conversation === undefined ? 0 : conversation.calls + 1;
  if (requests !== due) throw new Error(`${name}: ${program.join(' ')} asked the model ${requests} times, not ${due}.`);
  const firstRequestMs = firstByteAt === undefined ? undefined : Number(firstByteAt - startedAt) / 1e6;
  return { wallMs, cpuMs, peakBytes, firstRequestMs };
}

function whole(measured: Partial<Round>): Round {
  const { version, text, loop, stream } = measured;
  if (!version || !text || !loop || !stream) throw new Error('A round holds every scenario.');
  return { version, text, loop, stream };
}

/** One figure of every round as pairs; rounds that lack it are left out. */
export function pairsOf(
  rounds: readonly Round[],
  figure: (round: Round, side: 'floor' | 'ours') => number | undefined,
): Pair[] {
  return rounds.flatMap((round) => {
    const floor = figure(round, 'floor');
    const ours = figure(round, 'ours');
    return floor === undefined || ours === undefined ? [] : [{ floor, ours }];
  });
}
