import { mkdirSync, writeFileSync } from 'node:fs';
import { schemaFile, schemaText } from './schema-file.ts';

mkdirSync(new URL('.', schemaFile), { recursive: true });
writeFileSync(schemaFile, schemaText());
process.stdout.write('schema: settings.json\n');
