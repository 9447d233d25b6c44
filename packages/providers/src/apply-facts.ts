import type { Model, ModelLimits, ModelRequest } from '@rondo/runtime';
import { catalogModel } from './catalog/model-catalog.ts';
import type { ModelFacts, ModelSettings } from './model-settings.ts';

/** What is known of a model by its resolved name: as configured, else as the catalog has it. */
export function knownFacts(name: string, settings: ModelSettings): ModelFacts {
  const { contextWindow, maxOutputTokens, price, input } = catalogFacts(name);
  const configured = configuredFacts(name, settings.facts ?? {});
  return {
    ...definedOnly({ contextWindow, maxOutputTokens, price }),
    ...configured,
    ...((input ?? configured.input) && { input: { ...input, ...configured.input } }),
  };
}

/**
 * The model with what is configured about it, and below that what the catalog knows of it: window, longest reply, price
 * and what it takes. A reply's configured length is also what is asked for when a request names none.
 */
export function applyFacts(model: Model, settings: ModelSettings): Model {
  const configured = configuredFacts(model.name, settings.facts ?? {});
  const known = catalogFacts(model.name);
  const limits: ModelLimits = { ...limitsOf(known), ...model.limits, ...limitsOf(configured) };
  const price = configured.price ?? model.price ?? known.price;
  const input = { ...known.input, ...model.input, ...configured.input };
  const { maxOutputTokens } = configured;
  const complete = (request: ModelRequest): ModelRequest =>
    maxOutputTokens === undefined ? request : { maxOutputTokens, ...request };
  return {
    ...model,
    // Of a model that is a class's instance the spread would take neither.
    name: model.name,
    stream: (request, options) => model.stream(complete(request), options),
    ...(model.countTokens && { countTokens: model.countTokens.bind(model) }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(price && { price }),
    ...(Object.keys(input).length > 0 && { input }),
  };
}

/** By the whole name; a longer window asked for by suffix is a fact of its own, the rest is the plain name's. */
function configuredFacts(name: string, facts: Readonly<Record<string, ModelFacts>>): ModelFacts {
  const plain = plainName(name);
  const own = Object.hasOwn(facts, name) ? facts[name] : undefined;
  if (plain === name) return own ?? {};
  const { contextWindow: _, ...shared } = (Object.hasOwn(facts, plain) ? facts[plain] : undefined) ?? {};
  return { ...shared, ...own };
}

function catalogFacts(name: string): ModelFacts {
  const slash = name.indexOf('/');
  return catalogModel(name.slice(0, slash), plainName(name.slice(slash + 1))) ?? {};
}

function plainName(name: string): string {
  return name.replace(/\[1m\]$/i, '');
}

/** Of what is known of a model, the limits. */
export function limitsOf({ contextWindow, maxOutputTokens }: ModelFacts): ModelLimits {
  return definedOnly({ contextWindow, maxOutputTokens });
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

function definedOnly<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
