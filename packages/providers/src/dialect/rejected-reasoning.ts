/**
 * What vendors say of reasoning that they do not know as their own, however gateways wrap it: most often after a change
 * of account, region or deployment, or where something before the reasoning is no longer what it was.
 */
const rejections: readonly RegExp[] = [
  // Anthropic
  /invalid `?(signature|data)`? in `?(redacted_)?thinking`? block/i,
  /thinking`? blocks in the latest assistant message cannot be modified/i,
  // OpenAI
  /encrypted content .*could not be (verified|decrypted|parsed)/i,
  /item '[^']*' of type '\w+' was provided without its required/i,
  /item with id '[^']*' not found\. items are not persisted/i,
  // Google
  /(corrupted|invalid) thought[ _]?signature|thought[ _]?signature is not valid|missing a `?thought[ _]?signature/i,
];

/** Whether an error is about the reasoning in a request: the same request without any would be taken. */
export function rejectsReasoning({ type, message }: { readonly type?: string; readonly message: string }): boolean {
  return type === 'invalid_encrypted_content' || rejections.some((words) => words.test(message));
}
