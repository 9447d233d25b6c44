/** What every run of the sample project's tests says in its own way: how long they took, and where in Node they ran. */
const durations = /\(\d+(?:\.\d+)?ms\)|duration_ms \d+(?:\.\d+)?/;
const frames = /(?:\n +at [^\n]*\(node:[^)\n]*\))+/;

const comment = `# What a model was asked and said in a run of the demo; \`npm run demo:record\` writes it anew. A test holds what is asked
# today against it.
`;

/**
 * The recording as it is kept: it tells itself what may differ between runs, has to be used up, and says the same
 * whenever and wherever it is recorded.
 */
export function finishRecording(recorded: string): string {
  const [, head = '', steps = ''] = /^(?:#.*\n)*([^]*?)^(steps:\n[^]*)$/m.exec(recorded) ?? [];
  if (!head.includes('\nignore:\n')) throw new Error('the recording has no list of what may differ');
  const ignored = [durations, frames].map(({ source }) => `  - '${source}'\n`).join('');
  const same = steps
    .replace(new RegExp(durations, 'g'), (said) => said.replace(/[\d.]+/, '1.0'))
    .replace(new RegExp(frames, 'g'), (said) => said.replace(/at [^]*/, 'at Test.run (node:internal)'))
    .replace(/^( *)(Date|Platform): .*$/gm, '$1$2: …');
  return `${comment}${head}${ignored}unused: error\n${same}`;
}
