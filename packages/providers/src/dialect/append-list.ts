const comma = Buffer.from(',');
const close = Buffer.from(']');

/** Appends `,"name":[…]` to a body in pieces. Members are bytes made once, and stay as they are. */
export function appendList(chunks: Buffer[], name: string, members: readonly Buffer[]): void {
  chunks.push(Buffer.from(`,"${name}":[`));
  members.forEach((member, index) => {
    if (index > 0) chunks.push(comma);
    chunks.push(member);
  });
  chunks.push(close);
}
