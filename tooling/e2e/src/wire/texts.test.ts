import { playScenarios } from './play-scenarios.ts';
import { texts } from './scenarios/texts.ts';

playScenarios('issue 6, accept 3: texts', texts);
