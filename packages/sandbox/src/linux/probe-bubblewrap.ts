import { runProcess } from '../supervisor/run-process.ts';
import { bubblewrapArguments } from './bubblewrap-arguments.ts';
import { findProgram } from './find-program.ts';
import { openFilter } from './open-files.ts';
import { closePlaces, openPlaces } from './open-places.ts';

/** Whether commands can be isolated here. */
export type BubblewrapProbe =
  | {
      readonly ok: true;
      readonly program: string;
      readonly hasFilter: boolean;
      /** It mounts places that are open, and not only what a path leads to when it comes to it. */
      readonly bindsOpen: boolean;
    }
  | { readonly ok: false; readonly reason: string; readonly way: string };

export interface ProbeOptions {
  readonly path: string | undefined;
  readonly sharedProc: boolean;
  /** Folders that commands may write. */
  readonly folders: readonly string[];
}

const probes = new Map<string, Promise<BubblewrapProbe>>();

/** Tries it out, once a process for each way of doing it. */
export function probeBubblewrap(options: ProbeOptions): Promise<BubblewrapProbe> {
  const key = JSON.stringify([options.path, options.sharedProc, options.folders]);
  const known = probes.get(key) ?? probe(options);
  probes.set(key, known);
  return known;
}

async function probe({ path, sharedProc, folders }: ProbeOptions): Promise<BubblewrapProbe> {
  const program = await findProgram('bwrap', { path, not: folders });
  if (program === undefined) {
    return {
      ok: false,
      reason: 'bubblewrap (the program bwrap) is not installed',
      way: 'install it, such as by `apt-get install bubblewrap socat` or `dnf install bubblewrap socat`',
    };
  }
  const filter = openFilter({ unixSockets: false });
  const root = openPlaces(['/']) ?? [];
  const attempt = (bindsOpen: boolean) =>
    runProcess({
      command: {
        program,
        args: bubblewrapArguments({
          mounts: bindsOpen ? ['--ro-bind-fd', '3', '/'] : [],
          cwd: '/',
          sharedProc,
          filter: filter === undefined ? undefined : 3 + root.length,
          command: ['/bin/sh', '-c', 'exit 0'],
        }),
      },
      cwd: '/',
      env: { PATH: path ?? '' },
      timeoutMs: 10_000,
      signal: AbortSignal.timeout(20_000),
      outputLimit: 4000,
      descriptors: [...root, ...(filter === undefined ? [] : [filter.descriptor])],
    });
  try {
    let bindsOpen = root.length > 0;
    let outcome = await attempt(bindsOpen);
    if (bindsOpen && outcome.stderr.includes('ro-bind-fd')) {
      bindsOpen = false;
      outcome = await attempt(bindsOpen);
    }
    if (outcome.exitCode === 0) return { ok: true, program, hasFilter: filter !== undefined, bindsOpen };
    return explain(outcome.timedOut ? 'it did not end' : (outcome.stderr.trim().split('\n').at(-1) ?? ''), sharedProc);
  } finally {
    filter?.close();
    closePlaces(root);
  }
}

function explain(message: string, sharedProc: boolean): BubblewrapProbe {
  const told = message.replace(/^bwrap:\s*/, '');
  if (/mount proc/i.test(told) && !sharedProc) {
    return {
      ok: false,
      reason: `bubblewrap may not mount a fresh /proc in this container (${told})`,
      way: 'run in a container that allows it, or set enableWeakerNestedSandbox: true, with which commands see the processes of the container',
    };
  }
  if (/namespace|uid map|gid map|CLONE_NEW|unshare|Operation not permitted|Permission denied|No space/i.test(told)) {
    return {
      ok: false,
      reason: `this system does not let bubblewrap make namespaces of its own (${told})`,
      way: 'allow user namespaces: see the sysctls kernel.apparmor_restrict_unprivileged_userns, kernel.unprivileged_userns_clone and user.max_user_namespaces; in a container, give it a seccomp profile that allows them; inside a sandbox they cannot be had',
    };
  }
  return {
    ok: false,
    reason: `bubblewrap does not work here (${told})`,
    way: 'run bwrap by hand to see what it lacks',
  };
}
