import { anthropicServer } from './anthropic/anthropic-server.ts';
import { chatCompletionsServers } from './chat-completions/chat-completions-servers.ts';
import { googleServer } from './google/google-server.ts';
import { mistralServer } from './mistral/mistral-server.ts';
import { openaiResponsesServer } from './openai-responses/openai-responses-server.ts';
import type { ServerDialect } from './server-dialect.ts';

/** The wires that the model server speaks; the first one that knows a request's path answers it. */
export const serverDialects: readonly ServerDialect[] = [
  mistralServer,
  googleServer,
  ...chatCompletionsServers,
  anthropicServer,
  openaiResponsesServer,
];
