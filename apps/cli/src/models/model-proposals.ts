import { currentModels, isProviderReady, keyVariable, type ModelSettings } from '@rondo/providers';
import type { LocalModel, LocalServer } from '@rondo/providers/openai-compatible';
import { localServers, modelFlag } from './local-servers.ts';

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
  const ofServers = found.flatMap((server) =>
    server.models
      .toSorted((left, right) => Number(right.loaded ?? false) - Number(left.loaded ?? false))
      .slice(0, shownOfServer)
      .map((model) => proposeLocal(server, model)),
  );
  return [...ofVendors, ...ofServers];
}

function proposeLocal(server: LocalServer, model: LocalModel): ModelProposal {
  const { baseUrl, kind, title } = server;
  const because = `${title}, ${baseUrl}${model.loaded === true ? ', loaded' : ''}`;
  const flag = modelFlag(server, model);
  if (model.name !== undefined) return { model: model.name, flag, because };
  const name = `local-${new URL(baseUrl).port}`;
  return {
    model: `openai-compatible/${name}/${model.id}`,
    models: { servers: { [name]: { baseUrl, ...(kind !== undefined && { kind }) } } },
    flag,
    because,
  };
}
