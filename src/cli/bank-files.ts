import { readFile, stat } from 'node:fs/promises';
import { MAX_BANK_MESSAGE_BYTES } from '../contracts/bank-files.ts';
import { type BankImportView, importBankFile } from '../domains/bank-files/index.ts';
import { assertMerchantExists } from '../domains/merchants/index.ts';
import type { Runtime } from '../runtime.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { uuid } from './options.ts';

const warn = (text: string): void => void process.stderr.write(`${text}\n`);

/** What became of a file, for people. */
const wordsOf = ({ repeated, kind, changed, unchanged, foreign, unmatched }: BankImportView): string => {
  if (repeated) return 'This file was imported before: nothing changed.';
  const what = kind === 'status' ? 'Status file' : 'Statement';
  const known = `${unchanged} known before, ${foreign} not about payouts, ${unmatched} without a match`;
  return `${what}: ${changed} payments changed, ${known}.`;
};

/** One call has a limited time, so that a long file takes several. */
const importAll = async (runtime: Runtime, input: { merchantId: string; bytes: Uint8Array }): Promise<BankImportView> => {
  const first = await importBankFile(operatorContext(runtime), input);
  let changed = first.changed;
  let latest = first;
  while (latest.remaining > 0) {
    latest = await importBankFile(operatorContext(runtime), input);
    changed += latest.changed;
  }
  return { ...latest, changed };
};

export const addBankFileCommands: AddCommands = (program, add) => {
  add<{ merchant: string; file: string }>(program, {
    name: 'import-bank-file',
    summary: "Import a status file (pain.002) or a statement (camt.053, camt.054) of a merchant's bank",
    async run(runtime, { merchant: merchantId, file: path }) {
      await assertMerchantExists(operatorContext(runtime), merchantId);
      if ((await stat(path)).size > MAX_BANK_MESSAGE_BYTES)
        throw new Error(`${path} is larger than 10 MiB: no bank writes such files`);
      const imported = await importAll(runtime, { merchantId, bytes: await readFile(path) });
      warn(wordsOf(imported));
      for (const { id, why } of imported.list) warn(`${id}: ${why}`);
      const { id, kind, messageId, repeated, changed, unchanged, foreign, unmatched } = imported;
      return { id, kind, messageId, repeated, changed, unchanged, foreign, unmatched };
    },
  })
    .requiredOption('--merchant <id>', 'Whose bank wrote it', uuid)
    .requiredOption('--file <xml>', 'File of the bank, at most 10 MiB');
};
