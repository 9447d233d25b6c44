import { playScenarios } from './play-scenarios.ts';
import { tools } from './scenarios/tools.ts';

playScenarios('issue 6, accept 3: tools', tools);
