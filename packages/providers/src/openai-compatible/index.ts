export { createCompatibleModel, type CompatibleModelOptions } from './create-compatible-model.ts';
export { compatibleModelByName } from './compatible-model-by-name.ts';
export {
  findLocalServers,
  type FindLocalServersOptions,
  type LocalModel,
  type LocalServer,
} from './find-local-servers.ts';
export { hostedServers, serverKinds, type HostedServer } from './server-quirks.ts';
