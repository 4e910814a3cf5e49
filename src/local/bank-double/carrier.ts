import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BankDouble, BankMessage } from './bank.ts';
import { readPaymentFile } from './payment-file.ts';

export interface Folders {
  outbox: string;
  inbox: string;
}

/** Files of an outbox by the folder of their account. */
const listFiles = async (outbox: string): Promise<string[]> => {
  const found = await readdir(outbox, { recursive: true }).catch(() => [] as string[]);
  return found.filter((name) => name.endsWith('.xml')).sort();
};

const deliver = async (folder: string, { name, bytes }: BankMessage): Promise<void> => {
  await mkdir(folder, { recursive: true });
  // Its checksum comes first, and it is renamed at the end: nobody reads half a file.
  await writeFile(join(folder, `${name}.sha256`), `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`);
  await writeFile(join(folder, `${name}.part`), bytes);
  await rename(join(folder, `${name}.part`), join(folder, name));
};

/** Brings new files to the bank, which executes them at once, and what it answers to the inbox. Returns how many files were new. */
export const carry = async (bank: BankDouble, { outbox, inbox }: Folders, seen: Set<string>, on: string): Promise<number> => {
  const fresh = (await listFiles(outbox)).filter((name) => !seen.has(name));
  for (const name of fresh) {
    seen.add(name);
    const bytes = await readFile(join(outbox, name));
    const folder = join(inbox, dirname(name));
    const file = readPaymentFile(bytes);
    const answers = bank.receive(bytes);
    const isRejected = bank.isRejected(file.id);
    const executed = isRejected ? [] : [...bank.execute(file.id, on), ...bank.sendBack(file.id, on)];
    for (const message of [...answers, ...executed, bank.statement(file.iban, on, on)]) await deliver(folder, message);
  }
  return fresh.length;
};
