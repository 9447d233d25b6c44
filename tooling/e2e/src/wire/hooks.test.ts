import { playScenarios } from './play-scenarios.ts';
import { hooks } from './scenarios/hooks.ts';

playScenarios('issue 6, accept 3: hooks', hooks);
