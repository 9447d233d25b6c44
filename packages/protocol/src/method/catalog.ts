import { z } from 'zod';
import { ToolAnnotations } from '../callback/open-callback.ts';
import { JsonObject } from '../json/json-value.ts';
import { openObject } from '../json/open-object.ts';
import { PermissionMode } from '../permission/permission-update.ts';

export const CatalogTool = openObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string(),
  /** JSON Schema of an object. */
  inputSchema: JsonObject,
  annotations: ToolAnnotations.optional(),
});
export type CatalogTool = z.infer<typeof CatalogTool>;

/** An agent that sessions can be started of. */
export const CatalogAgent = openObject({
  name: z.string(),
  /** What `session/create` and `turn/start` name it by. */
  bindingId: z.string(),
  description: z.string().optional(),
  /** Resolved, `provider/model`. */
  model: z.string(),
  tools: z.array(CatalogTool),
  /** The agents that its model may start. */
  subagents: z.array(openObject({ name: z.string(), description: z.string(), model: z.string() })),
  permissionMode: PermissionMode,
  /** Whether its sessions may have something otherwise than it says. */
  customizable: z.boolean(),
});
export type CatalogAgent = z.infer<typeof CatalogAgent>;

const Price = openObject({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number().optional(),
  cacheWrite: z.number().optional(),
});

/** A model that the agents work with. Figures are absent where they are not known. */
export const CatalogModel = openObject({
  name: z.string(),
  /** Tokens. */
  contextWindow: z.number().optional(),
  maxOutputTokens: z.number().optional(),
  /** US dollars a million tokens. */
  price: Price.optional(),
});
export type CatalogModel = z.infer<typeof CatalogModel>;

/** A command, or a skill, that a person may call by its name. */
const Named = openObject({ name: z.string(), description: z.string() });

export const Catalog = openObject({
  agents: z.array(CatalogAgent),
  models: z.array(CatalogModel),
  commands: z.array(Named),
  skills: z.array(Named),
});
export type Catalog = z.infer<typeof Catalog>;
