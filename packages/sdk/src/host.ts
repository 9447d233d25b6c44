export { agentBindingId, loadAgents, type LoadAgentsOptions, type LoadedAgent } from './agent/load-agents.ts';
export { openDebugLog, type DebugLog } from './debug/debug-log.ts';
export { createProjection, type Projection } from './message/project-message.ts';
export type { ProjectionOptions } from './message/projection-state.ts';
export { canUseToolAsker } from './options/can-use-tool-asker.ts';
export { foldHistory, type History } from './run/fold-history.ts';
export { openHome, type Home } from './runtime/open-home.ts';
export { sessionBindingId } from './runtime/session-bindings.ts';
export type { HomeOptions } from './sessions/with-home.ts';
