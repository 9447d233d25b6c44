import type { SDKUserMessage } from '@rondo/protocol';
import { checkOptions } from '../options/check-options.ts';
import { withExtraArguments } from '../options/extra-arguments.ts';
import type { Options } from '../options/options.ts';
import { checkRemoteOptions } from '../remote/remote-options.ts';
import { checkPeerOptions } from '../stdio/check-peer-options.ts';
import { deferRun } from './defer-run.ts';
import { noteFor } from './note-for.ts';
import { prepareRun } from './open-run.ts';
import { startLocalRun } from './start-local-run.ts';
import type { Run } from './start-run.ts';

type Prompt = string | AsyncIterable<SDKUserMessage>;

/** What is ready for a prompt that comes later. */
export interface WarmRun {
  /** Once only. */
  start(prompt: Prompt): Run;
  /** Gives up what is ready; resolves once nothing is held any more. */
  close(): Promise<void>;
}

/** Where the options want the session to be at work. */
function placeOf({ pathToClaudeCodeExecutable, spawnClaudeCodeProcess, url }: Options): 'here' | 'host' | 'peer' {
  if (url !== undefined) return 'host';
  return pathToClaudeCodeExecutable === undefined && spawnClaudeCodeProcess === undefined ? 'here' : 'peer';
}

interface Placed {
  readonly place: 'here' | 'host' | 'peer';
  readonly options: Options;
}

/** @throws RondoError `input.invalid` for an option that cannot be served as given there. */
function checkFor(given: Options): Placed {
  const place = placeOf(given);
  const note = noteFor(given);
  const options = place === 'here' ? withExtraArguments(given, note) : given;
  if (place === 'peer') checkPeerOptions(options);
  else if (place === 'host') checkRemoteOptions(options);
  else for (const text of checkOptions(options)) note(text);
  return { place, options };
}

/** Sets the session to work where the options want it. What drives another process is loaded where there is one. */
export function runFor(prompt: Prompt, given: Options): Run {
  const { place, options } = checkFor(given);
  switch (place) {
    case 'here':
      return startLocalRun(prompt, options);
    case 'peer':
      return deferRun(import('../stdio/start-peer-run.ts').then(({ startPeerRun }) => startPeerRun(prompt, options)));
    case 'host':
      return deferRun(
        import('../remote/start-remote-run.ts').then(({ startRemoteRun }) => startRemoteRun(prompt, options)),
      );
  }
}

/**
 * Makes ready what a query of these options needs, without a prompt. `signal` aborts when nobody waits for it any more.
 * @throws RondoError what would keep a query from being started.
 */
export async function warmFor(given: Options, signal: AbortSignal): Promise<WarmRun> {
  const { place, options } = checkFor(given);
  switch (place) {
    case 'here': {
      const { abortController } = options;
      const wanted = abortController === undefined ? signal : AbortSignal.any([signal, abortController.signal]);
      const prepared = await prepareRun(options, { note: noteFor(options), isWarm: true, signal: wanted });
      return { start: (prompt) => startLocalRun(prompt, options, prepared), close: prepared.close };
    }
    case 'peer': {
      const { warmPeer } = await import('../stdio/start-peer-run.ts');
      return await warmPeer(options, { signal });
    }
    case 'host': {
      // The host is at work already: what there is to load is loaded.
      const { startRemoteRun } = await import('../remote/start-remote-run.ts');
      return { start: (prompt) => startRemoteRun(prompt, options), close: () => Promise.resolve() };
    }
  }
}
