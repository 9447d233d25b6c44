import { type HandleOptions, isClientTool } from '@rondo/client';
import type { AgentOptions } from './agent-options.ts';

/** What of an agent's options its handles go by. */
export function handleOptions<T>(options: AgentOptions<T>): HandleOptions<T> {
  const { onApproval, onSignIn, onClientTool, outputType, toolErrors, tools = [] } = options;
  return {
    ...(onApproval === undefined ? {} : { onApproval }),
    ...(onSignIn === undefined ? {} : { onSignIn }),
    ...(onClientTool === undefined ? {} : { onClientTool }),
    ...(outputType === undefined ? {} : { outputType }),
    ...(toolErrors === undefined ? {} : { toolErrors }),
    tools: tools.filter(isClientTool),
  };
}
