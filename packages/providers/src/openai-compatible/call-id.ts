const nineCharacters = /^[A-Za-z0-9]{9}$/;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** An ID of nine letters and digits that stands for another one, always the same; one that is such an ID stays. */
export function shortCallId(id: string): string {
  if (nineCharacters.test(id)) return id;
  const digest = process.getBuiltinModule('node:crypto').createHash('sha256').update(id).digest();
  return Array.from(digest.subarray(0, 9), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}
