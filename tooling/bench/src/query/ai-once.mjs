import { converseByAi } from './converse-by-ai.mjs';

process.stdout.write(`${await converseByAi(process.argv[2] ?? '')}\n`);
