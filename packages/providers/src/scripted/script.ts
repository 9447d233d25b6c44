import { resolve } from 'node:path';
import type { ModelInput, ModelLimits, ModelPrice } from '@rondo/runtime';
import type { TokenUsage } from '@rondo/protocol';
import type { MatchLevel, ScriptFile, ScriptStep } from './script-form.ts';
import { withVariables, type ScriptVariables } from './variables.ts';

/** A step, with what stands around it in its file. */
export interface ScriptedStep {
  readonly said: ScriptStep;
  /** `step 3 of FILE (line 14)`, for messages. */
  readonly place: string;
  /** Whether the conversation holds an answer of the model once the step is done. */
  readonly answers: boolean;
  /** What was recorded of the request; what is the same as above is filled in. */
  readonly request?: ScriptStep['request'];
}

/** A script as it is played. */
export interface Script {
  readonly file: string;
  readonly order: NonNullable<ScriptFile['order']>;
  readonly unused: NonNullable<ScriptFile['unused']>;
  readonly match: MatchLevel;
  readonly ignore: readonly RegExp[];
  readonly steps: readonly ScriptedStep[];
  readonly usage?: TokenUsage;
  readonly limits?: ModelLimits;
  readonly price?: ModelPrice;
  readonly input?: ModelInput;
  /** The model that was recorded. */
  readonly recorded?: string;
}

export interface ScriptPlaces {
  /** What the file is called in messages. */
  readonly file: string;
  /** The line of a step, from 1. */
  readonly lineOf?: (index: number) => number | undefined;
  readonly variables: ScriptVariables;
}

/** Makes of what a file says what is played. */
export function createScript(said: ScriptFile, { file, lineOf, variables }: ScriptPlaces): Script {
  let above: Carried = {};
  const steps = said.steps.flatMap((raw, index): ScriptedStep[] => {
    const step = withWholePaths(withVariables(raw, variables), variables);
    const line = lineOf?.(index);
    const place = `step ${index + 1} of ${file}${line === undefined ? '' : ` (line ${line})`}`;
    above = { ...above, ...carried(step.request ?? {}) };
    const request = step.request === undefined ? undefined : { ...above, ...step.request };
    const whole: ScriptedStep = { said: step, place, answers: answersOf(step), ...(request && { request }) };
    return Array.from({ length: step.times ?? 1 }, () => whole);
  });
  return {
    file,
    order: said.order ?? 'conversation',
    unused: said.unused ?? 'ignore',
    match: said.match ?? 'all',
    ignore: (said.ignore ?? []).map((pattern) => new RegExp(pattern, 'gmu')),
    steps,
    ...(said.usage && { usage: said.usage }),
    ...(said.limits && { limits: said.limits }),
    ...(said.price && { price: said.price }),
    ...(said.input && { input: said.input as ModelInput }),
    ...(said.recorded && { recorded: said.recorded.model }),
  };
}

/** The files that a step waits for or writes, wherever the process is. */
function withWholePaths({ asked, hold, ...step }: ScriptStep, { cwd }: ScriptVariables): ScriptStep {
  return {
    ...step,
    ...(asked !== undefined && { asked: resolve(cwd, asked) }),
    ...(hold && { hold: { ...hold, until: resolve(cwd, hold.until) } }),
  };
}

type Carried = Pick<NonNullable<ScriptStep['request']>, 'system' | 'tools' | 'settings'>;

/** What holds for the requests below, too, until one of them says otherwise. */
function carried({ system, tools, settings }: Carried): Carried {
  return {
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools }),
    ...(settings !== undefined && { settings }),
  };
}

/** A reply that breaks off is asked for again and leaves no trace; one that was stopped leaves the text it had. */
function answersOf(step: ScriptStep): boolean {
  if (step.error !== undefined || step.reset !== undefined || step.mute !== undefined) return false;
  if (step.fault !== undefined) return false;
  return (
    step.text !== undefined ||
    step.call !== undefined ||
    step.reply?.some((block) => block.text !== undefined || block.call !== undefined || block.opaque !== undefined) ===
      true
  );
}
