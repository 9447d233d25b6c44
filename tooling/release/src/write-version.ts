// Writes the version that the manifests have into the sources that name it: the second half of `npm run versions`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sdk = join(import.meta.dirname, '..', '..', '..', 'packages', 'sdk');
const { version } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8')) as { version: string };
const file = join(sdk, 'src', 'package-version.ts');
const text = readFileSync(file, 'utf8');
const written = text.replace(/(packageVersion = ')[^']*'/, `$1${version}'`);
if (!written.includes(`'${version}'`)) throw new Error(`${file} has no packageVersion to write`);
writeFileSync(file, written);
