import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { Option } from 'commander';
import { PAYOUT_METHODS, type PayoutMethod } from '../contracts/affiliates.ts';
import { assertMerchantExists } from '../domains/merchants/index.ts';
import { exportPayouts } from '../domains/payouts/index.ts';
import { csvLine } from '../platform/csv.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { uuid } from './options.ts';

interface ExportOptions {
  merchant: string;
  method: PayoutMethod;
  program?: string;
  process?: true;
  again?: true;
  out?: string;
}

type ExportedPayout = ReturnType<typeof exportPayouts> extends AsyncIterable<infer Payout> ? Payout : never;
type Instructions = Extract<ExportedPayout, { instructions: unknown }>['instructions'];

/** The columns of docs/guides/pay-manually.md. A column is never renamed or moved: new ones are added at the end. */
export const COLUMNS: Readonly<Record<string, (payout: Instructions) => string | null>> = {
  payoutId: ({ payoutId }) => payoutId,
  programName: ({ programName }) => programName,
  affiliateCode: ({ affiliateCode }) => affiliateCode,
  method: ({ method }) => method,
  bankAccountHolder: ({ recipient }) => recipient.bankAccountHolder,
  bankIban: ({ recipient }) => recipient.bankIban,
  paypalEmail: ({ recipient }) => recipient.paypalEmail,
  amount: ({ amountDecimal }) => amountDecimal,
  currency: ({ currency }) => currency.toUpperCase(),
  amountMinor: ({ amount }) => String(amount),
  reference: ({ reference }) => reference,
  bankBic: ({ recipient }) => recipient.bankBic,
};

const warn = (text: string): void => void process.stderr.write(`${text}\n`);

export const addPayoutCommands: AddCommands = (program, add) => {
  add<ExportOptions>(program, {
    name: 'export-payouts',
    summary: 'Write the payment instructions of manual payouts that are processing to a CSV file',
    async run(runtime, { merchant, method, program: programId, process: start = false, again = false, out }) {
      const ctx = operatorContext(runtime);
      await assertMerchantExists(ctx, merchant);
      const file = await openOutput(out);
      try {
        await file.write(csvLine(Object.keys(COLUMNS)));
        const payouts = exportPayouts(ctx, { merchantId: merchant, method, programId, process: start, repeat: again });
        const counts = await writePayouts(payouts, file);
        return out === undefined ? null : { file: out, ...counts };
      } finally {
        await file.close();
      }
    },
  })
    .requiredOption('--merchant <id>', 'Merchant ID', uuid)
    .addOption(new Option('--method <method>', 'Payout method').choices([...PAYOUT_METHODS]).makeOptionMandatory())
    .option('--program <id>', 'Only payouts of this program', uuid)
    .option('--process', 'Mark pending payouts as in progress and export them too')
    .option('--again', 'Include payouts that were exported before')
    .option('--out <file>', 'New file, readable by its owner only (default: standard output)');
};

interface Output {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/** An existing file is never overwritten: it may be the only list of payouts that are being paid. */
const openOutput = async (path: string | undefined): Promise<Output> => {
  if (path === undefined) {
    return {
      write: async (text) => void (process.stdout.write(text) || (await once(process.stdout, 'drain'))),
      close: async () => {},
    };
  }
  const file = await open(path, 'wx', 0o600).catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(code === 'EEXIST' ? `${path} exists already: name a new file` : `${path} cannot be created (${code})`);
  });
  return {
    write: async (text) => void (await file.write(text)),
    async close() {
      await file.sync();
      await file.close();
    },
  };
};

/** Each payout is written as soon as it is recorded as exported. Those that are left out are listed on standard error. */
const writePayouts = async (payouts: AsyncIterable<ExportedPayout>, file: Output) => {
  const counts = { exported: 0, exportedBefore: 0, skipped: 0 };
  for await (const payout of payouts) {
    if ('instructions' in payout) {
      const { instructions } = payout;
      await file.write(csvLine(Object.values(COLUMNS).map((cellOf) => cellOf(instructions) ?? '')));
      counts.exported++;
    } else if ('exportedAt' in payout) {
      counts.exportedBefore++;
      warn(`${payout.id}: exported before, at ${payout.exportedAt.toISOString()}; include it with --again`);
    } else {
      counts.skipped++;
      warn(`${payout.id}: ${payout.error.message}`);
    }
  }
  return counts;
};
