import { converseByAi } from './converse-by-ai.ts';

process.stdout.write(`${await converseByAi(process.argv[2] ?? '')}\n`);
