import { journalCsv, journalQuery, reopenPeriod, verifyLedger } from '../domains/ledger/index.ts';
import { assertMerchantExists } from '../domains/merchants/index.ts';
import { csvLines } from '../platform/http/csv-download.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { calendarMonth, dayOrMonth, shortLine, usage, uuid } from './options.ts';
import { openOutput } from './output.ts';

interface ExportOptions {
  merchant: string;
  from?: string;
  to?: string;
  out?: string;
}

interface ReopenOptions {
  merchant: string;
  period: string;
  reason: string;
}

export const addLedgerCommands: AddCommands = (program, add) => {
  const ledger = program.command('ledger').description('Ledger commands').copyInheritedSettings(program);
  add<{ affiliate?: string }>(ledger, {
    name: 'verify',
    summary: 'Recompute all balances and closed months from their entries; exit code 1 if they differ',
    async run(runtime, { affiliate }) {
      const findings = await verifyLedger(operatorContext(runtime), { affiliateId: affiliate });
      return { ok: findings.length === 0, findings };
    },
  }).option('--affiliate <id>', 'Only the balance of this affiliate', uuid);
  add<ExportOptions>(ledger, {
    name: 'export',
    summary: 'Write the journal of a merchant to a CSV file of any length: the bytes of GET /ledger/export',
    async run(runtime, { merchant: merchantId, from, to, out }) {
      const filter = journalQuery.safeParse({ from, to });
      if (!filter.success)
        throw usage(filter.error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`).join('; '));
      const ctx = operatorContext(runtime);
      await assertMerchantExists(ctx, merchantId);
      const file = await openOutput(out);
      try {
        const lines = csvLines(ctx, journalCsv, { filter: filter.data, merchantId }, Number.POSITIVE_INFINITY);
        for await (const text of lines) await file.write(text);
        return out === undefined ? null : { file: out };
      } finally {
        await file.close();
      }
    },
  })
    .requiredOption('--merchant <id>', 'Merchant ID', uuid)
    .option('--from <date>', 'First day of booking, or a month', dayOrMonth(journalQuery.shape.from.unwrap()))
    .option('--to <date>', 'Last day of booking, or a month', dayOrMonth(journalQuery.shape.to.unwrap()))
    .option('--out <file>', 'New file, readable by its owner only (default: standard output)');
  add<ReopenOptions>(ledger, {
    name: 'reopen',
    summary: 'Open the last closed month of a merchant again; it is recorded in the audit log',
    async run(runtime, { merchant: merchantId, period, reason }) {
      await reopenPeriod(operatorContext(runtime), { merchantId, period, reason });
      return { merchantId, period, status: 'open' };
    },
  })
    .requiredOption('--merchant <id>', 'Merchant ID', uuid)
    .requiredOption('--period <month>', 'Month, such as 2026-03', calendarMonth)
    .requiredOption('--reason <text>', 'Why, for the audit log of the merchant; names nobody', shortLine);
};
