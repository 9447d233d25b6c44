export interface Step {
  name: string;
  /** Arguments of `npm`. */
  npm: readonly string[];
  /** The step is a test run and counts each of its tests, not itself. */
  countsTests?: true;
}

const run = (script: string): Step => ({ name: script, npm: ['run', '--silent', script] });

/** Everything that must hold, in the order it is told: what is quick and says most comes first. */
export const steps: readonly Step[] = [
  run('build'),
  run('typecheck'),
  run('lint'),
  run('format'),
  run('layers'),
  run('dead-code'),
  run('requirements'),
  { name: 'test', npm: ['test', '--silent'], countsTests: true },
  { name: 'mutations', npm: ['run', '--silent', 'mutations', '--', '--sample', '5'] },
  run('examples'),
  run('pack-check'),
];
