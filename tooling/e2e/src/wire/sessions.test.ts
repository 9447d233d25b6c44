import { playScenarios } from './play-scenarios.ts';
import { sessions } from './scenarios/sessions.ts';

playScenarios('issue 6, accept 3: sessions', sessions);
