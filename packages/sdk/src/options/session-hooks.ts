import type { EventHook, Model, Policy, Tool } from '@rondo/runtime';
import type { CountedSettings } from '../settings/counted-settings.ts';
import { commandEnvironment, type Environment, withGitSettings } from './command-environment.ts';
import { keptByKey } from './kept-by-key.ts';
import { loadEventHooks } from './load-event-hooks.ts';
import type { Options } from './options.ts';
import type { SessionModel } from './session-models.ts';

export interface SessionHooksOptions {
  readonly callbacks: Options['hooks'];
  readonly projectDir: string;
  readonly tools: readonly Tool[];
  readonly note: (text: string) => void;
}

export interface SessionHooks {
  /** What commands see, with what `SessionStart` hooks have set. */
  readonly env: Record<string, string>;
  /** Those of the settings, then the program's own. */
  readonly eventHooks: readonly EventHook[];
}

/** Sessions that opened together share their environment. */
const seenByCommands = new WeakMap<Environment, Readonly<Record<string, string>>>();

function seenBy(env: Environment, keyVariables: readonly string[]): Readonly<Record<string, string>> {
  if (keyVariables.length > 0) return commandEnvironment(env, keyVariables);
  const seen = seenByCommands.get(env) ?? commandEnvironment(env);
  seenByCommands.set(env, seen);
  return seen;
}

/** The hooks of a session, and what they and commands see: the same value while nothing that they depend on changes. */
export function sessionHooks({ callbacks, projectDir, tools, note }: SessionHooksOptions) {
  const kept = keptByKey<SessionHooks>();
  const environment = keptByKey<Record<string, string>>();
  const setBySession: Record<string, string> = {};
  let lastModel: Model | undefined;
  let modelChanges = 0;

  return async (counted: CountedSettings, { access, model }: SessionModel, policy: Policy): Promise<SessionHooks> => {
    const { keyVariables } = access;
    if (model !== lastModel) modelChanges += 1;
    lastModel = model;
    const { gitEnvironment, layers } = counted;
    const seen = withGitSettings(seenBy(access.env, keyVariables), gitEnvironment);
    const env = await environment(
      () => JSON.stringify(seen),
      () => Promise.resolve({ ...seen, ...setBySession }),
    );
    const ofSettings = layers.map(({ name, root, settings }) => settings.hooks && [name, root, settings.hooks]);
    const changes = modelChanges;
    const key = (): string => JSON.stringify([ofSettings, seen, changes, policy.directories]);
    return await kept(key, async () => ({
      env,
      eventHooks: await loadEventHooks({
        callbacks,
        layers,
        projectDir,
        env,
        setVariables(variables) {
          const visible = commandEnvironment(variables, keyVariables);
          Object.assign(setBySession, visible);
          Object.assign(env, visible);
        },
        model,
        loadModel: access.load,
        matching: { tools, directories: policy.directories, home: policy.home },
        note,
      }),
    }));
  };
}
