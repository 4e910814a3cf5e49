import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Transfer, TransferEvent, TransferStatus } from './transfer.ts';

type NewTransfer = Omit<Transfer, 'id' | 'createdAt' | 'events'> & Omit<TransferEvent, 'at'>;

/** All transfers, in memory and in the journal. Every method is synchronous, so that two requests cannot both execute a key. */
export interface Store {
  findByKey(idempotencyKey: string): Transfer | undefined;
  findById(id: string): Transfer | undefined;
  /** Oldest first, starting after the given transfer, or from the first one when `after` is undefined. */
  list(limit: number, after: Transfer | undefined): Transfer[];
  all(): readonly Transfer[];
  /** On disk when it returns. */
  add(transfer: NewTransfer): Transfer;
  /** Records another execution of a key whose repeat window is over. */
  executeAgain(transfer: Transfer): void;
  addEvent(transfer: Transfer, status: TransferStatus, failureCode: string | null): TransferEvent;
  isNotified(notificationId: string): boolean;
  markNotified(notificationId: string): void;
  close(): void;
}

export const openStore = (path: string | undefined): Store => {
  const transfers: Transfer[] = [];
  const byKey = new Map<string, Transfer>();
  const byId = new Map<string, { transfer: Transfer; position: number }>();
  const notified = new Set<string>();

  const find = (id: string): Transfer => {
    const found = byId.get(id);
    if (!found) throw new Error(`The journal refers to transfer ${id} before it was created`);
    return found.transfer;
  };
  const apply = (entry: JournalEntry): void => {
    if (entry.kind === 'transfer') {
      byId.set(entry.transfer.id, { transfer: entry.transfer, position: transfers.push(entry.transfer) });
      byKey.set(entry.transfer.idempotencyKey, entry.transfer);
    } else if (entry.kind === 'executed-again') {
      find(entry.id).executedCount += 1;
    } else if (entry.kind === 'event') {
      find(entry.id).events.push(entry.event);
    } else {
      notified.add(entry.notificationId);
    }
  };
  const journal = openJournal(path, apply);
  const record = (entry: JournalEntry, durable?: 'durable'): void => {
    journal.append(entry, durable);
    apply(entry);
  };

  return {
    findByKey: (key) => byKey.get(key),
    findById: (id) => byId.get(id)?.transfer,
    list(limit, after) {
      const start = after === undefined ? 0 : (byId.get(after.id)?.position ?? 0);
      return transfers.slice(start, start + limit);
    },
    all: () => transfers,
    add({ status, failureCode, ...order }) {
      const at = new Date().toISOString();
      const transfer = { id: `trf_${randomUUID()}`, ...order, createdAt: at, events: [{ status, at, failureCode }] };
      record({ kind: 'transfer', transfer }, 'durable');
      return transfer;
    },
    executeAgain: (transfer) => record({ kind: 'executed-again', id: transfer.id }, 'durable'),
    addEvent(transfer, status, failureCode) {
      const event = { status, at: new Date().toISOString(), failureCode };
      record({ kind: 'event', id: transfer.id, event });
      return event;
    },
    isNotified: (notificationId) => notified.has(notificationId),
    markNotified: (notificationId) => record({ kind: 'notified', notificationId }),
    close: () => journal.close(),
  };
};

type JournalEntry =
  | { kind: 'transfer'; transfer: Transfer }
  | { kind: 'executed-again'; id: string }
  | { kind: 'event'; id: string; event: TransferEvent }
  | { kind: 'notified'; notificationId: string };

interface Journal {
  /** With `durable`, returns once the line is on disk, so that a crash never loses a transfer already confirmed to the caller. */
  append(entry: JournalEntry, durable?: 'durable'): void;
  close(): void;
}

/** JSON lines, append-only. An incomplete last line was never confirmed to a caller and is truncated. */
const openJournal = (path: string | undefined, replay: (entry: JournalEntry) => void): Journal => {
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
