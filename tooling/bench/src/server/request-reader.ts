const headEnd = Buffer.from('\r\n\r\n');

export interface HttpRequest {
  readonly path: string;
  readonly body: Buffer;
}

export interface RequestReader {
  /** Takes the connection's next bytes. */
  write(bytes: Buffer): void;
}

/**
 * Reads the requests of one kept-alive connection. Just enough of HTTP for two clients that we know: a body comes with
 * its length. Anything else throws, since a measurement over a misread request would be worth nothing.
 */
export function createRequestReader(onRequest: (request: HttpRequest) => void): RequestReader {
  let pieces: Buffer[] = [];
  let have = 0;
  let wanted = 0;
  let path = '';

  function readHead(): boolean {
    const bytes = joined();
    const end = bytes.indexOf(headEnd);
    if (end === -1) return false;
    const head = bytes.toString('latin1', 0, end);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    const target = /^POST (\S+) HTTP\/1\.1/.exec(head)?.[1];
    if (length === undefined || target === undefined) {
      throw new Error(`The bench's model server takes a POST with Content-Length only, and got:\n${head}`);
    }
    path = target;
    wanted = Number(length);
    replaceWith(bytes.subarray(end + headEnd.length));
    return true;
  }

  function joined(): Buffer {
    if (pieces.length !== 1) pieces = [Buffer.concat(pieces, have)];
    return pieces[0] ?? Buffer.alloc(0);
  }

  function replaceWith(bytes: Buffer): void {
    pieces = bytes.length === 0 ? [] : [bytes];
    have = bytes.length;
  }

  return {
    write(bytes) {
      pieces.push(bytes);
      have += bytes.length;
      while (have > 0 && (path !== '' || readHead())) {
        if (have < wanted) return;
        const whole = joined();
        const request = { path, body: whole.subarray(0, wanted) };
        path = '';
        replaceWith(whole.subarray(wanted));
        onRequest(request);
      }
    },
  };
}
