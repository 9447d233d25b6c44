import { playScenarios } from './play-scenarios.ts';
import { permissions } from './scenarios/permissions.ts';

playScenarios('issue 6, accept 3: permissions', permissions);
