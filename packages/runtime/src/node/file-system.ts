/** What the store asks of a file or folder. */
export interface FileStatus {
  readonly size: number;
  readonly modifiedMs: number;
  readonly inode: number;
  /** Names that the file has; 0 once it is deleted. */
  readonly links: number;
}

export interface OpenFile {
  status(): FileStatus;
  /** Fills as much of `into` as the file has from `offset` on, and says how much that was. */
  read(into: Uint8Array, offset: number): Promise<number>;
  /** Writes all of the bytes or rejects. Not durable before `sync`. */
  write(bytes: Uint8Array, offset: number): Promise<void>;
  /** Makes the file's content and length durable. */
  sync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * The seam through which the file store writes: few calls, so that a double can cut the power between any two of them.
 * Files are made with mode 0600 and folders with 0700.
 */
export interface FileSystem {
  /** `update` is for reading and writing and makes the file where there is none. Rejects with Node's codes, `ENOENT` and so on. */
  open(path: string, mode: 'read' | 'update'): Promise<OpenFile>;
  /** Undefined where nothing is. Answers at once: a list asks it of every session. */
  status(path: string): FileStatus | undefined;
  /** True when it was made, false when it was there. Its parent must be there. */
  makeDirectory(path: string): Promise<boolean>;
  /** Makes the folder's entries durable: files and folders made in it, and renames. */
  syncDirectory(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Removes a folder with all that is in it; nothing where there is none. */
  removeTree(path: string): Promise<void>;
  /** Names in a folder, in no order; none where there is no folder. */
  names(path: string): Promise<readonly string[]>;
  /** Calls back after the file may have changed, until the returned function is called. May call too often, or never. */
  watch(path: string, changed: () => void): () => void;
}
