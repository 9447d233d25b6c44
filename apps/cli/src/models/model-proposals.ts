import { currentModels, isProviderReady, keyVariable, type ModelSettings } from '@rondo/providers';
import { localServers } from './local-servers.ts';

/** A model that could be used here, though nobody has named it. */
export interface ModelProposal {
  readonly model: string;
  /** What the name needs to be understood: the server that was found. */
  readonly models?: ModelSettings;
  /** What to type for it. */
  readonly flag: string;
  /** Why it is proposed. */
  readonly because: string;
}

/** More models of one server are not shown one by one. */
const shownOfServer = 5;

/** The current model of every vendor whose key is set, then what local servers have; the loaded ones first. */
export async function proposeModels(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly ModelProposal[]> {
  const ofVendors = Object.entries(currentModels).flatMap(([provider, id]): ModelProposal[] => {
    if (!isProviderReady(provider, env)) return [];
    const model = `${provider}/${id}`;
    const variable = keyVariable(provider, env);
    return [
      {
        model,
        flag: `--model ${model}`,
        because: variable === undefined ? 'its base URL is on this machine' : `${variable} is set`,
      },
    ];
  });
  const found = await localServers(env);
  const ofServers = found.flatMap(({ baseUrl, kind, title, models }) =>
    models
      .toSorted((left, right) => Number(right.loaded ?? false) - Number(left.loaded ?? false))
      .slice(0, shownOfServer)
      .map(({ id, name, loaded }): ModelProposal => {
        const because = `${title}, ${baseUrl}${loaded === true ? ', loaded' : ''}`;
        if (name !== undefined) return { model: name, flag: `--model ${quoted(name)}`, because };
        const server = `local-${new URL(baseUrl).port}`;
        return {
          model: `openai-compatible/${server}/${id}`,
          models: { servers: { [server]: { baseUrl, ...(kind !== undefined && { kind }) } } },
          flag: `OPENAI_COMPATIBLE_BASE_URL=${baseUrl} rondo --model ${quoted(`openai-compatible/${id}`)}`,
          because,
        };
      }),
  );
  return [...ofVendors, ...ofServers];
}

/** As a shell takes it: what a server calls its models is anything. */
export function quoted(argument: string): string {
  return /^[\w./:@+-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
