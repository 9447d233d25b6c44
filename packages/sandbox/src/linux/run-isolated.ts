import { RondoError } from '@rondo/protocol/values';
import type { CommandOptions, Execution } from '@rondo/runtime';
import type { IsolationPolicy } from '../isolation/isolation-policy.ts';
import { explainRefusals } from '../isolation/explain-refusals.ts';
import type { IsolatedSandboxOptions } from '../isolated-sandbox-options.ts';
import { runForOutput } from '../supervisor/run-command.ts';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import { restoreLinks } from './kept-links.ts';
import { planMounts } from './mount-plan.ts';
import { pathSockets } from './path-sockets.ts';
import { openFilter, openStatus } from './open-files.ts';
import { holdMadeFolders, type PrivatePlaces } from './private-places.ts';
import { relayEnvironment, relayMounts, throughRelay, type NetworkAccess } from './relay.ts';

export interface IsolatedRun {
  readonly bubblewrap: { readonly program: string; readonly bindsOpen: boolean };
  readonly shell: string;
  readonly policy: IsolationPolicy;
  readonly places: PrivatePlaces;
  readonly options: IsolatedSandboxOptions;
  readonly network: NetworkAccess | undefined;
}

/**
 * Runs a shell line in bubblewrap.
 * @throws RondoError `sandbox.unavailable` where the sandbox cannot be set up for it; it did not run then.
 */
export async function runIsolated(command: string, options: CommandOptions, run: IsolatedRun): Promise<Execution> {
  for (let starts = 1; ; starts += 1) {
    const outcome = await start(command, options, run);
    if (typeof outcome !== 'string') return outcome;
    if (starts === mostStarts || !vanished.test(outcome)) throw notSetUp(outcome, run.options);
  }
}

/** What was to be mounted, or hidden, can be gone by then: a socket that somebody closes, a file that an editor replaces. */
const vanished = /^bwrap: (?:Can't|Race)/m;
const mostStarts = 4;

/** Why the sandbox could not be set up, if it could not. The command did not run then. */
async function start(command: string, options: CommandOptions, run: IsolatedRun): Promise<Execution | string> {
  const { policy, places, shell, network, bubblewrap } = run;
  const folders = options.folders ?? run.options.folders;
  const firstDescriptor = bubblewrap.bindsOpen ? 4 : undefined;
  const plan = await planMounts({ policy, folders, ...places, firstDescriptor });
  const release = holdMadeFolders(plan.madeFolders);
  const filter = openFilter(filterOptions(run));
  const status = openStatus();
  const { outer, inner } = partEnvironment(options.env);
  const line = [shell, '-c', command];
  try {
    const args = bubblewrapArguments({
      mounts: [...plan.args, ...hiddenSockets(run)],
      cwd: options.cwd,
      status: 3,
      filter: filter === undefined ? undefined : 4 + plan.descriptors.length,
      sharedProc: policy.sharedProc,
      mayNest: nests(run),
      ...(network === undefined
        ? { env: inner, command: line }
        : {
            env: { ...inner, ...relayEnvironment(network.proxy) },
            deviceMounts: relayMounts(network),
            command: throughRelay(network, line),
          }),
    });
    const execution = await runForOutput(
      [{ program: bubblewrap.program, args }],
      { ...options, env: outer },
      run.options,
      {
        isWrapper: true,
        descriptors: [status.descriptor, ...plan.descriptors, ...(filter === undefined ? [] : [filter.descriptor])],
      },
    );
    if (execution.exitCode !== null && !status.hasRun()) return execution.stderr;
    const restored = restoreLinks(plan.links);
    const explained = explainRefusals(execution, {
      command,
      cwd: options.cwd,
      writable: plan.writable,
      hidden: plan.hidden,
      network: network !== undefined,
      settings: run.options.settings,
      mayAsk: run.options.mayRunOutside === true && run.options.settings.allowUnsandboxedCommands !== false,
    });
    const refusals = [
      ...restored.map(
        (path) => `The sandbox put back the link ${path}, which is protected; what was put there is beside it.`,
      ),
      ...explained,
    ];
    return refusals.length === 0 ? execution : { ...execution, refusals };
  } finally {
    filter?.close();
    status.close();
    release();
    plan.close();
  }
}

/** The relay needs a Unix socket, which only a helper that comes after it can forbid to the command. */
function nests({ network }: IsolatedRun): boolean {
  return network?.programs.blocker !== undefined;
}

function filterOptions(run: IsolatedRun) {
  return { unixSockets: run.network !== undefined || run.policy.unixSockets !== 'none', nesting: nests(run) };
}

/**
 * Where some Unix sockets are allowed, all others that there are, since no filter can tell them apart by their paths. Beside
 * a relay all of them: the helper leaves a command the pairs of datagram sockets that the relay needs, which may send to any.
 */
function hiddenSockets({ policy, network }: IsolatedRun): string[] {
  const { unixSockets } = policy;
  if (unixSockets === 'all' || (unixSockets === 'none' && network === undefined)) return [];
  return pathSockets()
    .filter((path) => (unixSockets === 'none' || !unixSockets.includes(path)) && !path.startsWith('/tmp/'))
    .flatMap((path) => ['--ro-bind-try', '/dev/null', path]);
}

/** Variables by which a program is made to load others. Bubblewrap itself, which is outside, does not get them. */
const loaderVariable = /^(?:LD_|GLIBC_TUNABLES$)/;

function partEnvironment(env: Readonly<Record<string, string>>) {
  const outer: Record<string, string> = {};
  const inner: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) (loaderVariable.test(name) ? inner : outer)[name] = value;
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) if (outer[name] !== undefined) outer[name] = '/tmp';
  return { outer, inner };
}

/** Bubblewrap itself failed, so that nothing ran. What it says is for the person, not for the model. */
function notSetUp(reason: string, { note }: IsolatedSandboxOptions): RondoError {
  note?.(`sandbox: a command could not be isolated and did not run: ${reason.trim()}`);
  return new RondoError(
    'sandbox.unavailable',
    'The command did not run, because the sandbox could not be set up for it.',
    { details: { reason: reason.trim() } },
  );
}
