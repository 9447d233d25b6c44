import { compilePolicy, type PolicyRule, type PolicySource, type Tool } from '@rondo/runtime';
import { isRondoError } from '@rondo/protocol/values';
import type { SettingsLayer, SettingsProblem } from './settings-layer.ts';

/** Tools of the session, by which it is known what the content of a rule is compared with. */
export type RuleTools = readonly Pick<Tool, 'name' | 'ruleContent'>[];

export interface LayerRules {
  /** One for each layer that has rules, under the layer's name. */
  readonly sources: readonly PolicySource[];
  /** Rules that do not count as they are written. */
  readonly problems: readonly SettingsProblem[];
}

const behaviors = ['deny', 'ask', 'allow'] as const;

/**
 * The rules of all layers, which are judged together by the strictest. One that this version cannot take as it is written
 * allows nothing, and denies or asks for the whole of its tool.
 */
export function layerRules(layers: readonly SettingsLayer[], tools: RuleTools): LayerRules {
  const problems: SettingsProblem[] = [];
  const sources = layers.flatMap((layer): PolicySource[] => {
    const rules = behaviors.flatMap((behavior) =>
      (layer.settings.permissions?.[behavior] ?? []).flatMap((text) =>
        ruleOf(text, behavior, { layer, tools, problems }),
      ),
    );
    return rules.length === 0 ? [] : [{ name: layer.name, evaluation: 'strictest', rules, root: layer.root }];
  });
  return { sources, problems };
}

interface RuleParts {
  readonly layer: SettingsLayer;
  readonly tools: RuleTools;
  readonly problems: SettingsProblem[];
}

const listOf = { allow: 'allowedTools', deny: 'disallowedTools', ask: 'askTools' } as const;

function ruleOf(
  text: string,
  behavior: (typeof behaviors)[number],
  { layer, tools, problems }: RuleParts,
): PolicyRule[] {
  try {
    const { sources } = compilePolicy({ directories: ['/'], tools, [listOf[behavior]]: [text] });
    return sources.flatMap(({ rules }) => rules);
  } catch (error) {
    if (!isRondoError(error)) throw error;
    const whole = behavior === 'allow' ? undefined : /^[\w.-]+/.exec(text.trim())?.[0];
    const counts = whole === undefined ? 'it does not count' : `it counts for every call of ${whole}`;
    problems.push({
      file: layer.name,
      key: `permissions.${behavior}`,
      problem: `${error.message}; ${counts}`,
      severity: 'warning',
    });
    return whole === undefined ? [] : [{ behavior, toolName: whole }];
  }
}
