import { playScenarios } from './play-scenarios.ts';
import { streams } from './scenarios/streams.ts';

playScenarios('issue 6, accept 3: streams', streams);
