import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Transfer, TransferEvent } from './transfer.ts';

export type JournalEntry =
  | { kind: 'transfer'; transfer: Transfer }
  | { kind: 'executed-again'; id: string }
  | { kind: 'happened'; id: string; event: TransferEvent }
  | { kind: 'told'; notificationId: string };

export interface Journal {
  /** With `durable` it returns when the line is on the disk, so that an answer never promises what a crash forgets. */
  append(entry: JournalEntry, durable?: 'durable'): void;
  close(): void;
}

/** JSON lines, append-only. A torn last line was never answered for and is cut off. */
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
