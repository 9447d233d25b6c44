import type { Call, Effect, Program } from './command-effect.ts';
import { readArguments } from './read-arguments.ts';
import { isRiskyVariable } from './risky-variables.ts';
import type { ShellAssignment } from './shell-line.ts';
import type { ShellWord } from './shell-word.ts';

const indexWithCode = /\[.*(?:\$\(|`|<\()/s;

/** `export`, `declare` and their like set variables as assignments do. */
export const declare: Program = (call) => {
  const names = call.args.filter(({ prefix }) => !/^[-+]/.test(prefix));
  const flags = call.args.filter(({ prefix }) => /^[-+]/.test(prefix));
  const assignments = names.map(assignmentOf);
  const unknown = call.args.find(({ prefix, value }) => value === undefined && !/^[A-Za-z_]\w*\+?=/.test(prefix));
  if (unknown !== undefined)
    return { unclear: `${call.name} ${unknown.spelled} sets a variable that is known only when it runs` };
  const hazard = names.find(({ spelled }) => indexWithCode.test(spelled));
  if (hazard !== undefined) return { unclear: `${hazard.spelled} has an index that runs code` };
  // A number is evaluated; a reference stands for another variable.
  if (flags.some(({ value }) => /^-[A-Za-z]*[inN]/.test(value ?? ''))) {
    const isNumber = assignments.every(({ value }) => value === '' || /^-?\d+$/.test(value ?? ''));
    if (!isNumber) return { unclear: `${call.name} evaluates what it is given` };
  }
  return { readsOnly: true, assignments: assignments.filter(({ name }) => name !== '') };
};

function assignmentOf({ spelled, value }: ShellWord): ShellAssignment {
  const [, name = '', operator, text] = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?(\+?=)?(.*)$/s.exec(spelled) ?? [];
  return { name, value: value === undefined || operator !== '=' ? undefined : text };
}

/** `read`, `getopts`, `printf -v`, `unset`: builtins that set the variables which they name. */
export const setsNamed: Program = (call) => {
  const { operands } = readArguments(call.args, '-a= -d= -i= -n= -N= -p= -t= -u= -e -r -s -f -v= *');
  const isPrintf = call.name === 'printf';
  const at = call.args.findIndex(({ prefix }) => prefix.startsWith('-v'));
  const words = isPrintf ? (at < 0 ? [] : call.args.slice(at, at + 2)) : [...operands, ...call.args];
  const names = words.filter(({ prefix }) => !prefix.startsWith('-') || prefix.length > 2);
  const unknown = call.args.find(
    (word) => word.value === undefined && (isPrintf ? word === call.args[0] && word.prefix === '' : true),
  );
  const risky = names.map(({ spelled }) => spelled.replace(/^-[a-z]/, '')).filter(isRiskyVariable);
  const hazard = names.find(({ spelled, value }) => spelled.includes('[') || (isPrintf && value === undefined));
  return {
    readsOnly: unknown === undefined,
    assignments: risky.map((name) => ({ name, value: undefined })),
    ...(hazard === undefined ? {} : { unclear: `${hazard.spelled} has an index that may run code` }),
    ...(unknown !== undefined && !isPrintf
      ? { unclear: `${call.name} sets ${unknown.spelled}, which is known only when it runs` }
      : {}),
  };
};

const testOperator = /^(?:=|==|!=|<|>|=~|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef|a|o)|\]|\)|!)$/;

/** `test` and `[`: with `-v` an index is evaluated, and so the code in it. */
export const test: Program = ({ args }) => {
  const evaluates = args.some(({ value }, index) => {
    if (value === '-v' || value === '-R')
      return args[index + 1]?.value === undefined || args[index + 1]?.value?.includes('[') === true;
    const next = args[index + 1];
    return value === undefined && next !== undefined && !testOperator.test(next.value ?? '');
  });
  if (evaluates) return { unclear: 'a test that may evaluate the name of a variable, and code in it' };
  return { readsOnly: true };
};

export const letNumbers: Program = ({ args, expression }) => {
  const word = args.find(
    ({ value }) =>
      value === undefined ||
      !/^[\w\s+\-*/%=<>!&|^~?:,();]*$/.test(value) ||
      value.match(/[A-Za-z_]\w*/g)?.some(isRiskyVariable) === true,
  );
  if (word !== undefined) return { unclear: `let evaluates ${word.spelled}` };
  const hazard = args.map(({ spelled }) => expression(spelled)).find((why) => why !== undefined);
  return hazard === undefined ? { readsOnly: true } : { unclear: hazard };
};

/** `wait -p name` sets that variable, and evaluates the index in its name. */
export const wait: Program = ({ args }) => {
  const at = args.findIndex(({ prefix }) => /^-[a-z]*p/.test(prefix));
  if (at < 0 && args.every(({ value, prefix }) => value !== undefined || prefix.startsWith('$') || prefix === ''))
    return { readsOnly: true };
  const name = [args[at], args[at + 1]].map((word) => word?.value?.replace(/^-[a-z]*p/, '') ?? '[').join('');
  return name.includes('[') || isRiskyVariable(name)
    ? { unclear: 'wait sets a variable that may run code or change what runs' }
    : { readsOnly: true };
};

/** An alias means nothing in scripts of bash, and something in other shells and by option: later names are not what they seem. */
export const alias: Program = (call) => {
  const definitions = call.args.filter(({ prefix, value }) => prefix.includes('=') || value === undefined);
  if (definitions.length === 0) return { readsOnly: true };
  const mayRun = definitions.flatMap(({ spelled }) => call.code(spelled.slice(spelled.indexOf('=') + 1)).commands);
  return { unclear: 'an alias changes what later names mean', mayRun };
};

/** Builtins that make names mean something else, or keep code for later. */
export const rebinding: Program = (call: Call): Effect => ({
  unclear: `${call.name} changes what later parts of the line mean`,
  mayRun: call.guess(call.args),
});

/** `hash` and `complete` as far as they only show. */
export function unlessFlags(program: Program, flags: RegExp): Program {
  return (call) =>
    call.args.every(({ value }) => value !== undefined && !flags.test(value)) ? { readsOnly: true } : program(call);
}
