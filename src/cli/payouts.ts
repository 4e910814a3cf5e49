import { readFile, stat } from 'node:fs/promises';
import { Option } from 'commander';
import { PAYOUT_METHODS, type PayoutMethod } from '../contracts/affiliates.ts';
import { MAX_BODY_BYTES } from '../contracts/limits.ts';
import { assertMerchantExists } from '../domains/merchants/index.ts';
import { importPayoutResults } from '../domains/payout-runs/index.ts';
import { exportPayouts, paymentHeader, paymentLine } from '../domains/payouts/index.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { uuid } from './options.ts';
import { openOutput } from './output.ts';

interface ExportOptions {
  merchant: string;
  method: PayoutMethod;
  program?: string;
  process?: true;
  again?: true;
  out?: string;
}

type ExportedPayout = ReturnType<typeof exportPayouts> extends AsyncIterable<infer Payout> ? Payout : never;

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
        await file.write(paymentHeader());
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
  add<{ file: string; run?: string }>(program, {
    name: 'import-results',
    summary: 'Record what a bank or provider says about manual payouts: payoutId, bankReference, executedAt, result',
    async run(runtime, { file: path, run: runId }) {
      if ((await stat(path)).size > MAX_BODY_BYTES) throw new Error(`${path} is larger than ${MAX_BODY_BYTES} bytes: split it`);
      const report = await importPayoutResults(operatorContext(runtime), { runId, csv: await readFile(path, 'utf8') });
      for (const { line, payoutId, reason, message } of report.lines)
        if (reason) warn(`line ${line}: ${payoutId ?? 'no payout'}: ${message} (${reason})`);
      const { done, unchanged, refused, remaining } = report;
      return { done, unchanged, refused, remaining };
    },
  })
    .requiredOption('--file <csv>', 'File with a header')
    .option('--run <id>', 'Only payouts of this run', uuid);
};

/** Each payout is written as soon as it is recorded as exported. Those that are left out are listed on standard error. */
const writePayouts = async (payouts: AsyncIterable<ExportedPayout>, file: Awaited<ReturnType<typeof openOutput>>) => {
  const counts = { exported: 0, exportedBefore: 0, skipped: 0 };
  for await (const payout of payouts) {
    if ('instructions' in payout) {
      const { instructions } = payout;
      await file.write(paymentLine(instructions));
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
