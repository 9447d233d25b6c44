export { endCommandsOfDeadRuntimes, endOrphanedCommands } from './supervisor/end-orphaned-commands.ts';
