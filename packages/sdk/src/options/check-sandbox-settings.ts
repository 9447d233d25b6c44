import { RondoError } from '@rondo/protocol/values';
import { isRecord } from '../is-record.ts';

type Kind = 'boolean' | 'texts' | 'port' | 'texts by name' | 'program' | Fields;
interface Fields {
  readonly [name: string]: Kind;
}

const fields: Fields = {
  enabled: 'boolean',
  failIfUnavailable: 'boolean',
  autoAllowBashIfSandboxed: 'boolean',
  excludedCommands: 'texts',
  allowUnsandboxedCommands: 'boolean',
  network: {
    allowedDomains: 'texts',
    deniedDomains: 'texts',
    allowManagedDomainsOnly: 'boolean',
    allowLocalBinding: 'boolean',
    allowUnixSockets: 'texts',
    allowAllUnixSockets: 'boolean',
    allowMachLookup: 'texts',
    httpProxyPort: 'port',
    socksProxyPort: 'port',
  },
  filesystem: { allowWrite: 'texts', denyWrite: 'texts', denyRead: 'texts', allowRead: 'texts' },
  ignoreViolations: 'texts by name',
  enableWeakerNestedSandbox: 'boolean',
  ripgrep: 'program',
};

/** Refuses what a sandbox could not be made of. What it does not know could be a wall that its author counts on. */
export function checkSandboxSettings(value: unknown, name: string): void {
  checkFields(value, fields, name);
}

function checkFields(value: unknown, known: Fields, name: string): void {
  if (!isRecord(value)) throw invalid(name, 'must be an object');
  for (const [key, entry] of Object.entries(value)) {
    if (entry === undefined) continue;
    const kind = Object.hasOwn(known, key) ? known[key] : undefined;
    if (kind === undefined) {
      throw invalid(`${name}.${key}`, `is no setting of a sandbox; there are ${Object.keys(known).join(', ')}`);
    }
    checkValue(entry, kind, `${name}.${key}`);
  }
}

function checkValue(value: unknown, kind: Kind, name: string): void {
  if (typeof kind === 'object') return checkFields(value, kind, name);
  const problem = {
    boolean: typeof value === 'boolean' ? undefined : 'must be true or false',
    texts: isTexts(value) ? undefined : 'must be a list of texts',
    port: isPort(value) ? undefined : 'must be the number of a port',
    'texts by name':
      isRecord(value) && Object.values(value).every(isTexts) ? undefined : 'must be lists of texts by name',
    program: isRecord(value) && typeof value['command'] === 'string' ? undefined : 'must name a command',
  }[kind];
  if (problem !== undefined) throw invalid(name, problem);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isPort(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;
}

function invalid(name: string, problem: string): RondoError {
  return new RondoError('input.invalid', `${name} ${problem}.`, { details: { option: name } });
}
