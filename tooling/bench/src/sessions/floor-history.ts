import { converse } from '../floor/converse.mjs';
import { createStepClock } from './history-steps.ts';

const clock = createStepClock();
await converse({ baseUrl: process.env['ANTHROPIC_BASE_URL'] ?? '', prompt: 'Read all notes.', onStep: clock.step });
clock.print();
process.exit(0);
