import type { SDKUserMessage } from '@rondo/protocol';
import { startDebugged } from '../debug/debug-run.ts';
import type { Options } from '../options/options.ts';
import { localMethods } from './local-methods.ts';
import { openRun, type PreparedRun } from './open-run.ts';
import { openingTurn } from './opening-turn.ts';
import type { Run } from './start-run.ts';

/** A session at work in this process, with what was prepared for it before. */
export function startLocalRun(
  prompt: string | AsyncIterable<SDKUserMessage>,
  options: Options,
  prepared?: PreparedRun,
): Run {
  return startDebugged(prompt, options, {
    async open(how) {
      if (prepared !== undefined) return await prepared.open(how);
      const turn = openingTurn();
      const moment = turn === undefined ? undefined : await turn;
      return await openRun(options, { ...how, moment });
    },
    methods: (running) => localMethods({ ...running, prompt, options }),
  });
}
