import type { Settings } from '../settings/settings.ts';

/** What is longer might hide something behind what one reads: it is said how much. */
const most = 500;
/** Variables whose values are nobody's to read over a shoulder. */
const secret = /key|token|secret|passw|credential|auth/i;

/** What the settings would let happen or run, a line each, in words and shortened. */
export function wideningLines(widening: Settings): string[] {
  return Object.entries(widening).flatMap(([key, value]) => {
    if (key === 'permissions' && isFields(value))
      return Object.entries(value).flatMap(([name, entry]) => permissionLines(name, entry));
    if (key === 'hooks' && isFields(value))
      return Object.entries(value).map(([event, groups]) => `runs at ${event}: ${commandsOf(groups)}`);
    if (key === 'env' && isFields(value))
      return Object.entries(value).map(([name, text]) => `sets ${name}${secret.test(name) ? '' : `=${shown(text)}`}`);
    if (isFields(value) && key !== 'models')
      return Object.entries(value).map(([name, entry]) => `${key}.${name}: ${shown(entry)}`);
    return [`${key}: ${shown(value)}`];
  });
}

function permissionLines(name: string, value: unknown): string[] {
  if (name === 'allow' && Array.isArray(value)) return [`allows ${value.map(String).join(', ')}`];
  if (name === 'defaultMode') return [`starts in the mode ${String(value)}`];
  if (name === 'additionalDirectories' && Array.isArray(value))
    return [`adds the folders ${value.map(String).join(', ')}`];
  return [`permissions.${name}: ${shown(value)}`];
}

/** The shell lines among what is written for an event, whatever its shape. */
function commandsOf(value: unknown): string {
  const found: string[] = [];
  const look = (entry: unknown): void => {
    if (Array.isArray(entry)) for (const each of entry) look(each);
    else if (isFields(entry)) {
      const { command, prompt, url } = entry;
      // Whatever its type, all that it could run is shown.
      for (const said of [command, prompt, url]) if (typeof said === 'string') found.push(shown(said));
      for (const each of Object.values(entry)) if (typeof each === 'object') look(each);
    }
  };
  look(value);
  return found.length === 0 ? shown(value) : found.join(', ');
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return text.length > most ? `${text.slice(0, most)}… (${text.length - most} more characters)` : text;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
