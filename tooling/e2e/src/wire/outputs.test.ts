import { playScenarios } from './play-scenarios.ts';
import { outputs } from './scenarios/outputs.ts';

playScenarios('issue 6, accept 3: outputs', outputs);
