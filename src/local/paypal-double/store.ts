import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { DoubleAccount, DoubleBatch, DoubleTransaction } from './model.ts';

/** Synchronous, so that two requests cannot both execute a key. Each change is on disk when it returns. */
export interface DoubleStore {
  accounts: ReadonlyMap<string, DoubleAccount>;
  batches: ReadonlyMap<string, DoubleBatch>;
  transactions: ReadonlyMap<string, DoubleTransaction>;
  findByKey(account: string, senderBatchId: string): DoubleBatch | undefined;
  findByItem(id: string): DoubleBatch | undefined;
  saveAccount(account: DoubleAccount): void;
  saveBatch(batch: DoubleBatch): void;
  saveTransaction(transaction: DoubleTransaction): void;
  close(): void;
}

/** Whole objects: the last line of an id counts. */
type Line = { account: DoubleAccount } | { batch: DoubleBatch } | { transaction: DoubleTransaction };

export const openDoubleStore = (path: string | undefined): DoubleStore => {
  const accounts = new Map<string, DoubleAccount>();
  const batches = new Map<string, DoubleBatch>();
  const transactions = new Map<string, DoubleTransaction>();
  const byKey = new Map<string, DoubleBatch>();
  const byItem = new Map<string, DoubleBatch>();
  const keyOf = (account: string, senderBatchId: string): string => `${account} ${senderBatchId}`;

  const apply = (line: Line): void => {
    if ('account' in line) accounts.set(line.account.clientId, line.account);
    else if ('transaction' in line) transactions.set(line.transaction.id, line.transaction);
    else {
      const { batch } = line;
      batches.set(batch.id, batch);
      byKey.set(keyOf(batch.account, batch.senderBatchId), batch);
      byItem.set(batch.item.id, batch);
    }
  };
  const file = path === undefined ? null : openJournal(path, apply);
  const save = (line: Line): void => {
    if (file !== null) append(file, line);
    apply(line);
  };
  return {
    ...{ accounts, batches, transactions },
    findByKey: (account, senderBatchId) => byKey.get(keyOf(account, senderBatchId)),
    findByItem: (id) => byItem.get(id),
    saveAccount: (account) => save({ account }),
    saveBatch: (batch) => save({ batch }),
    saveTransaction: (transaction) => save({ transaction }),
    close: () => file !== null && closeSync(file),
  };
};

/** An incomplete last line was never confirmed to a caller and is truncated. */
const openJournal = (path: string, apply: (line: Line) => void): number => {
  const file = openSync(path, 'a+', 0o600);
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  if (end < bytes.length) ftruncateSync(file, end);
  for (const line of bytes.subarray(0, end).toString('utf8').split('\n')) if (line !== '') apply(JSON.parse(line) as Line);
  return file;
};

const append = (file: number, line: Line): void => {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  fsyncSync(file);
};
