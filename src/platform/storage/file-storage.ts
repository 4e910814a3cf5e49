import { Readable } from 'node:stream';

export interface NewFile {
  bytes: Readable;
  /** Exactly so many bytes follow: a file with more or fewer is not stored. */
  size: number;
  contentType: string;
}

/** Positions of the first and the last byte, both within the file. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Keeps files under names that callers choose. No call is part of a transaction. */
export interface FileStorage {
  /** Stores the whole file or nothing. A file of the same name is replaced. */
  write(name: string, file: NewFile): Promise<void>;
  /** By default the whole file. Null when there is no such file. Whoever stops reading destroys the stream. */
  read(name: string, range?: ByteRange | null): Promise<Readable | null>;
  /** Done as well when there is no such file. */
  remove(name: string): Promise<void>;
  /** Fails unless files can be stored now, within a few seconds; leaves none. Returns where they are. */
  check(): Promise<string>;
}

/** Names become paths and keys as they are. */
export const isFileName = (name: string): boolean => /^[0-9a-f][0-9a-f-]{2,62}[0-9a-f]$/.test(name);

/** The bytes of a file as a stream that fails instead of ending with another size. */
export const sized = ({ bytes, size }: Pick<NewFile, 'bytes' | 'size'>): Readable =>
  Readable.from(counted(bytes, size), { objectMode: false });

async function* counted(bytes: Readable, size: number): AsyncGenerator<Buffer> {
  let received = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > size) break;
    yield chunk;
  }
  if (received !== size) throw new Error(`The file does not have the expected ${size} bytes`);
}
