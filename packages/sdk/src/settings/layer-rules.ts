import { type PolicySource, readPermissionRules, type RuleNotice, type Tool } from '@rondo/runtime';
import type { SettingsLayer, SettingsProblem } from './settings-layer.ts';

/** Tools of the session, by which it is known what the content of a rule is compared with. */
export type RuleTools = readonly Pick<Tool, 'name' | 'ruleContent'>[];

export interface LayerRules {
  /** One for each layer that has rules, under the layer's name. */
  readonly sources: readonly PolicySource[];
  /** Rules that do not count as they are written, and with `advice` those that grant much. */
  readonly problems: readonly SettingsProblem[];
}

const behaviors = ['deny', 'ask', 'allow'] as const;

/**
 * The rules of all layers, which are judged together by the strictest. One that cannot be meant as it is written allows
 * nothing, and denies or asks at its widest reading.
 */
export function layerRules(layers: readonly SettingsLayer[], tools: RuleTools, { advice = false } = {}): LayerRules {
  const problems: SettingsProblem[] = [];
  const sources = layers.flatMap((layer): PolicySource[] => {
    const rules = behaviors.flatMap((behavior) => {
      const read = readPermissionRules(layer.settings.permissions?.[behavior], behavior, { tools });
      const told = read.notices.filter(({ severity }) => advice || severity !== 'advice');
      problems.push(...told.map((notice) => problemOf(layer.name, notice)));
      return read.rules;
    });
    return rules.length === 0 ? [] : [{ name: layer.name, evaluation: 'strictest', rules, root: layer.root }];
  });
  return { sources, problems };
}

function problemOf(file: string, { rule, behavior, severity, problem, suggestion }: RuleNotice): SettingsProblem {
  return {
    file,
    key: `permissions.${behavior}`,
    problem: `has ${JSON.stringify(rule)}: ${problem}`,
    ...(suggestion === undefined ? {} : { suggestion }),
    severity: severity === 'advice' ? 'notice' : severity,
  };
}
