import { playScenarios } from './play-scenarios.ts';
import { failures } from './scenarios/failures.ts';

playScenarios('issue 6, accept 3: failures', failures);
