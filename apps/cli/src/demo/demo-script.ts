import { join } from 'node:path';
import { call, type ScriptedStep, say } from '@rondo/runtime/testing';

export const demoPrompt = 'A test of this project fails. Find out why, repair it, and publish the result.';

/** The one command that the demo allows. */
export const testCommand = 'node --test --test-reporter=spec';

/** What the model of the demo says, a step a request. The tools that it calls are real, and so is what comes back. */
export function demoScript(folder: string): readonly ScriptedStep[] {
  const source = join(folder, 'src', 'cart.js');
  const runTests = call('Bash', { command: testCommand, description: 'Run the tests' });
  return [
    [say(words('I will run the tests first.')), runTests],
    [
      say(
        words('One of three fails: ten of a kind should be cheaper, and are not. I will read the code and its test.'),
      ),
      call('Read', { file_path: source }),
      call('Read', { file_path: join(folder, 'test', 'cart.test.js') }),
    ],
    [
      say(words('The comment says "ten or more", the code says "more than ten". That is the fault.')),
      call('Edit', { file_path: source, old_string: 'quantity > 10 ?', new_string: 'quantity >= 10 ?' }),
    ],
    [say(words('Now the tests again.')), runTests],
    [
      say(words('All three pass. I will publish it.')),
      call('Bash', { command: 'npm publish', description: 'Publish' }),
    ],
    say(words('The test passes: the discount begins at ten. Publishing was not allowed, so that is left to you.')),
  ];
}

/** Pieces as a model sends them. */
function words(text: string): string[] {
  return text.split(/(?<= )/);
}
