import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Transfer, TransferEvent } from './transfer.ts';

export type JournalEntry =
  | { kind: 'transfer'; transfer: Transfer }
  | { kind: 'executed-again'; id: string }
  | { kind: 'event'; id: string; event: TransferEvent }
  | { kind: 'notified'; notificationId: string };

export interface Journal {
  /** With `durable`, returns once the line is on disk, so that a crash never loses a transfer already confirmed to the caller. */
  append(entry: JournalEntry, durable?: 'durable'): void;
  close(): void;
}

/** JSON lines, append-only. An incomplete last line was never confirmed to a caller and is truncated. */
export const openJournal = (path: string | undefined, replay: (entry: JournalEntry) => void): Journal => {
  if (path === undefined) return { append: () => undefined, close: () => undefined };
  const file = openSync(path, 'a+', 0o600);
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) ftruncateSync(file, end);
  for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) {
    if (line !== '') replay(JSON.parse(line) as JournalEntry);
  }
  return {
    append(entry, durable) {
      const line = Buffer.from(`${JSON.stringify(entry)}\n`);
      for (let done = 0; done < line.length; ) done += writeSync(file, line, done);
      if (durable) fsyncSync(file);
    },
    close: () => closeSync(file),
  };
};
