import { escapeCases } from './escape-cases.ts';
import { hiddenPayloads } from './hidden-payloads.ts';
import { tryEscapes } from './try-escapes.ts';

/** For another user to run: prints what each attempt came to. */
process.stdout.write(JSON.stringify(await tryEscapes([...escapeCases, ...hiddenPayloads])));
