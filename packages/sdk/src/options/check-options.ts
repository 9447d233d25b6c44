import { checkMcpServers, checkToolAliases } from '../mcp/server-problem.ts';
import { checkModelSettings } from '../settings/check-model-settings.ts';
import { asksForNothing } from './asks-for-nothing.ts';
import { checkSandboxSettings } from './check-sandbox-settings.ts';
import { invalidOption } from './invalid-option.ts';
import { laterOptions, needlessOptions, servedOptions } from './option-table.ts';
import { optionProblem } from './option-value.ts';
import type { Options } from './options.ts';
import { refuseStoreContradictions } from './store-contradictions.ts';

/**
 * Refuses what cannot be done as asked, before anything is.
 * @returns what a person should know about options that have no effect.
 * @throws RondoError `input.invalid` naming the option and what it takes.
 */
export function checkOptions(options: Options): string[] {
  const notes: string[] = [];
  for (const [name, value] of Object.entries(options as Readonly<Record<string, unknown>>)) {
    if (value === undefined) continue;
    const kind = Object.hasOwn(servedOptions, name) ? servedOptions[name] : undefined;
    const needless = Object.hasOwn(needlessOptions, name) ? needlessOptions[name] : undefined;
    if (kind !== undefined) {
      const problem = optionProblem(kind, value);
      if (problem !== undefined) throw invalidOption(name, problem);
      if (kind === 'model settings') checkModelSettings(value, `options.${name}`);
      if (kind === 'sandbox settings') checkSandboxSettings(value, `options.${name}`);
      if (kind === 'MCP servers') checkMcpServers(Object(value), `options.${name}`);
      if (kind === 'tool aliases') checkToolAliases(Object(value));
    } else if (needless !== undefined) {
      if (!asksForNothing(value)) notes.push(`options.${name} has no effect: ${needless}.`);
    } else if (!laterOptions.includes(name)) {
      throw invalidOption(name, 'is no option of query(); the Options type lists what is');
    } else if (!asksForNothing(value)) {
      throw invalidOption(
        name,
        'is not served by this version yet; leave it out, since ignoring it could do what you do not want',
      );
    }
  }
  refuseContradictions(options);
  return notes;
}

/** @throws RondoError `input.invalid` for options that do not go together. */
export function refuseContradictions(options: Options): void {
  if (options.permissionPromptToolName !== undefined && options.canUseTool !== undefined) {
    throw invalidOption('permissionPromptToolName', 'and options.canUseTool both answer questions: use one of them');
  }
  if (options.token !== undefined && options.url === undefined) {
    throw invalidOption('token', 'says who this is to a host: it needs url');
  }
  const goesOn = options.resume !== undefined || options.continue === true;
  if (options.resume !== undefined && options.continue === true) {
    throw invalidOption('continue', 'and resume name different sessions: use one of them');
  }
  if (options.resumeSessionAt !== undefined && options.resume === undefined) {
    throw invalidOption('resumeSessionAt', 'names a message of the session to go on with: it needs resume');
  }
  if (options.resumeSessionAt !== undefined && options.unfinished === 'continue') {
    throw invalidOption(
      'unfinished',
      "is 'continue', but resumeSessionAt goes on from an earlier place: leave one of them out",
    );
  }
  if (options.sessionId !== undefined && goesOn && options.forkSession !== true) {
    throw invalidOption('sessionId', 'names a new session: with resume or continue it needs forkSession: true');
  }
  refuseStoreContradictions(options);
  if (options.persistSession === false && goesOn) {
    throw invalidOption(
      'persistSession',
      'is false, so there are no stored sessions to go on with: leave out resume and continue',
    );
  }
}
