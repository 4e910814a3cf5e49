import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Option } from 'commander';
import { PAYOUT_METHODS, type PayoutMethod } from '../contracts/affiliates.ts';
import { MAX_BODY_BYTES } from '../contracts/limits.ts';
import { PAYMENT_FILE_FORMATS, type PaymentFileFormat } from '../contracts/payout-runs.ts';
import { assertMerchantExists } from '../domains/merchants/index.ts';
import { getPayoutRunFile, importPayoutResults } from '../domains/payout-runs/index.ts';
import { exportPayouts, paymentHeader, paymentLine, readPayoutEvidence } from '../domains/payouts/index.ts';
import type { Context } from '../platform/context.ts';
import { decodeText } from '../platform/csv/decode-text.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { usage, uuid } from './options.ts';
import { createFolder, openOutput } from './output.ts';

interface ExportOptions {
  merchant?: string;
  method?: PayoutMethod;
  program?: string;
  process?: true;
  again?: true;
  run?: string;
  format?: PaymentFileFormat;
  out?: string;
}

type ExportedPayout = ReturnType<typeof exportPayouts> extends AsyncIterable<infer Payout> ? Payout : never;

const warn = (text: string): void => void process.stderr.write(`${text}\n`);

export const addPayoutCommands: AddCommands = (program, add) => {
  add<ExportOptions>(program, {
    name: 'export-payouts',
    summary: 'Write the payment instructions of manual payouts that are processing to CSV files',
    run(runtime, options) {
      const ctx = operatorContext(runtime);
      return options.run === undefined ? exportOfMerchant(ctx, options) : exportOfRun(ctx, { ...options, run: options.run });
    },
  })
    .option('--merchant <id>', 'Payouts of a merchant, by one --method', uuid)
    .addOption(new Option('--method <method>', 'Payout method').choices([...PAYOUT_METHODS]))
    .option('--program <id>', 'Only payouts of this program', uuid)
    .option('--process', 'Mark pending payouts as in progress and export them too')
    .option('--again', 'Include payouts that were exported before')
    .option('--run <id>', 'Payouts of a payout run, as GET /payout-runs/{id}/file gives them', uuid)
    .addOption(
      new Option('--format <format>', 'With --run: format of the files (default: csv)').choices([...PAYMENT_FILE_FORMATS]),
    )
    .option('--out <path>', 'New file (default: standard output); with --run, new folder. Readable by its owner only');
  add<{ file: string; run?: string }>(program, {
    name: 'import-results',
    summary: 'Record what a bank or provider says about manual payouts: a CSV file with payoutId and result',
    async run(runtime, { file: path, run: runId }) {
      if ((await stat(path)).size > MAX_BODY_BYTES) throw new Error(`${path} is larger than ${MAX_BODY_BYTES} bytes: split it`);
      const report = await importPayoutResults(operatorContext(runtime), { runId, csv: decodeText(await readFile(path)) });
      for (const { line, payoutId, reason, message } of report.lines)
        if (reason) warn(`line ${line}: ${payoutId ?? 'no payout'}: ${message} (${reason})`);
      const { done, unchanged, refused, remaining } = report;
      return { done, unchanged, refused, remaining };
    },
  })
    .requiredOption('--file <csv>', 'File with the columns payoutId, result, and bankReference, executedAt, amount, currency')
    .option('--run <id>', 'Only payouts of this run', uuid);
  addEvidenceCommand(program, add);
};

const addEvidenceCommand: AddCommands = (program, add) => {
  add<{ payout: string }>(program, {
    name: 'payout-evidence',
    summary: 'Print what was sent to the provider about a payout, and what it answered; the reading is in the audit log',
    run: (runtime, { payout: id }) => readPayoutEvidence(operatorContext(runtime), { id }),
  }).requiredOption('--payout <id>', 'Payout: what is printed names its payee', uuid);
};

const exportOfMerchant = async (ctx: Context, options: ExportOptions): Promise<object | null> => {
  const { merchant, method, program: programId, process: start = false, again = false, format, out } = options;
  if (merchant === undefined || method === undefined) throw usage('pass --merchant with --method, or --run');
  if (format !== undefined) throw usage('--format is an option of --run');
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
};

/** A format may need several files, so they are in a folder of their own. */
const exportOfRun = async (ctx: Context, options: ExportOptions & { run: string }): Promise<object> => {
  const { run: id, format = 'csv', out, merchant, method, program, process: start, again } = options;
  if (out === undefined) throw usage('--run needs --out <folder>');
  if (merchant ?? method ?? program ?? start) throw usage('with --run, pass --format, --again and --out only');
  await createFolder(out);
  const { files, omitted, handedOut } = await getPayoutRunFile(ctx, { id, format, again });
  for (const { name, content } of files) {
    const file = await openOutput(join(out, name));
    await file.write(content).finally(() => file.close());
  }
  for (const payoutId of omitted) warn(`${payoutId}: the format cannot pay it`);
  const { payouts: exportedBefore, lastAt, lastBy } = handedOut;
  if (exportedBefore > 0) {
    const what = again ? 'these files hold them again' : 'include them with --again';
    warn(`${exportedBefore} payouts were in a file before, last at ${lastAt} by ${lastBy}: ${what}`);
  }
  return { folder: out, files: files.map(({ name, payouts }) => ({ name, payouts })), omitted: omitted.length, exportedBefore };
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
