const preamble = `Plan mode is on. Until the person ends it you only read: whatever writes, runs with an effect or leaves this machine is refused, also where it was allowed before. Do not look for a way around that.`;

const workflow = `Work out a plan for what was asked:
1. Read what it touches until you know how it works today, and what else depends on it.
2. Where the request can be meant in ways that lead to different work, ask which one is meant.
3. Answer with the plan: what will change, file by file, in which order; what could go wrong; how it will be shown to work. As short as it can be and still be carried out by somebody who has not read what you have.`;

const footer = `Your answer is the plan itself. Do not begin with the work: the person reads the plan first and ends plan mode when it is to be done.`;

/** What the model is told in plan mode. Only the way of working is the program's to replace, what holds is not. */
export function planInstructions(custom: string | undefined): string {
  return [preamble, custom ?? workflow, footer].join('\n\n');
}
