/** Version of the native wire, negotiated in `host/initialize`. */
export const PROTOCOL_VERSION = 1;

/** Version of the log's lines. A reader refuses to own a log of a newer version. */
export const LOG_FORMAT_VERSION = 1;
