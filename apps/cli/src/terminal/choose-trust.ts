import { getFolderTrust, trustFolder } from '@rondo/sdk';
import type { ChatRequest } from '../command/chat-request.ts';
import { trustText } from '../trust/trust-text.ts';
import type { Keyboard } from './keyboard.ts';
import { printableText } from './printable-text.ts';

/**
 * Asks whether what the folder brings in is to count, where something of it is not trusted. What was shown is what is
 * trusted. `left` when the person went away; without trust the session goes on without it.
 */
export async function chooseTrust(
  { settingSources }: Pick<ChatRequest, 'settingSources'>,
  keyboard: Pick<Keyboard, 'readLine'>,
): Promise<'left' | undefined> {
  if (settingSources !== undefined && !settingSources.some((source) => source !== 'user')) return undefined;
  const seen = await getFolderTrust();
  if (seen.message === undefined) return undefined;
  process.stdout.write(`${printableText(trustText(seen))}\n`);
  for (;;) {
    const prompt = 'y trusts it as it is now, n goes on without it: ';
    const answer = await keyboard.readLine({ prompt, purpose: 'answer' });
    if (answer.type !== 'line') return 'left';
    const said = answer.text.trim().toLowerCase();
    if (said === 'n') return undefined;
    if (said !== 'y') continue;
    await trustFolder({ seen });
    return undefined;
  }
}
