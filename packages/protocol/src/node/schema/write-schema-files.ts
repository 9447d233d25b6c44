import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { schemaFiles, schemaFolder } from './schema-files.ts';

const files = schemaFiles();
rmSync(schemaFolder, { recursive: true, force: true });
mkdirSync(schemaFolder);
for (const [file, text] of files) writeFileSync(new URL(file, schemaFolder), text);
process.stdout.write(`schema: ${files.size} files\n`);
