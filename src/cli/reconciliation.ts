import { InvalidArgumentError, Option } from 'commander';
import { RAIL_NAMES, type Rail } from '../contracts/rails.ts';
import { holdPayments } from '../domains/payouts/index.ts';
import {
  type ComparedAccount,
  type ComparisonReport,
  compareAccount,
  liftAfterFailover,
  listInstallationAccounts,
  listMerchantAccounts,
  listOpenDifferences,
  resolveReconciliationDifference,
  resumePayments,
} from '../domains/reconciliation/index.ts';
import type { Context } from '../platform/context.ts';
import type { Runtime } from '../runtime.ts';
import type { AddCommands } from './command.ts';
import { operatorContext } from './operator.ts';
import { uuid } from './options.ts';

interface ReconcileOptions {
  merchant?: string;
  rail?: Rail;
  since?: Date;
}

/** Differences that are printed; the API lists all. */
const SHOWN = 200;
const PAGE = 100;

const day = (text: string): Date => {
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError('must be a day such as 2026-03-31, or an ISO 8601 time.');
  return at;
};

async function* accountsOf(ctx: Context, { rails }: Runtime, filter: ReconcileOptions): AsyncGenerator<ComparedAccount> {
  const wanted = { merchantId: filter.merchant, rail: filter.rail };
  yield* await listInstallationAccounts(ctx, wanted, (rail) => rails.find(rail) !== null);
  for (let after: string | null = null; ; ) {
    const page: { railAccountId: string }[] & ComparedAccount[] = await listMerchantAccounts(ctx, wanted, { after, limit: PAGE });
    yield* page;
    after = page.at(-1)?.railAccountId ?? null;
    if (page.length < PAGE) return;
  }
}

const reconcile = async (runtime: Runtime, options: ReconcileOptions): Promise<object> => {
  const comparisons: ComparisonReport[] = [];
  for await (const account of accountsOf(operatorContext(runtime), runtime, options)) {
    const input = { account, trigger: 'operator', since: options.since } as const;
    comparisons.push(await compareAccount(operatorContext(runtime), runtime.rails, input));
  }
  const resumed = await liftAfterFailover(operatorContext(runtime), runtime.rails);
  const differences = await listOpenDifferences(operatorContext(runtime), { limit: SHOWN, merchantId: options.merchant });
  const ok = comparisons.every(({ problem }) => problem === null) && differences.length === 0;
  return { ok, comparisons, differences, ...(resumed ? { paymentsResumed: true } : {}) };
};

export const addReconciliationCommands: AddCommands = (program, add) => {
  add<ReconcileOptions>(program, {
    name: 'reconcile',
    summary: "Compare the books with providers' lists; exit code 1 while anything differs or cannot be compared",
    run: reconcile,
  })
    .option('--merchant <id>', 'Accounts of one merchant', uuid)
    .addOption(new Option('--rail <rail>', 'Accounts at one provider').choices([...RAIL_NAMES]))
    .option('--since <day>', 'Payments from this day on (default: as far back as payments may come back)', day);
  add<{ id: string; note: string; payout?: string }>(program, {
    name: 'resolve-difference',
    summary: 'Resolve a difference of any merchant, or of an account of the installation',
    run: (runtime, { id, note, payout: payoutId }) =>
      resolveReconciliationDifference(operatorContext(runtime), { id, note, payoutId }),
  })
    .requiredOption('--id <difference id>', 'Difference, as reconcile prints it', uuid)
    .requiredOption('--note <text>', 'What you found and did')
    .option('--payout <id>', 'Payout that the payment is of: it is then not sent', uuid);
  add<{ reason: string }>(program, {
    name: 'hold-payments',
    summary: 'Put all payments of this installation on hold, as before a backup is restored',
    run: async (runtime, { reason }) => ({ held: await holdPayments(operatorContext(runtime), { cause: 'operator', reason }) }),
  }).requiredOption('--reason <text>', 'Why, for the audit log');
  add<{ accept?: true; note?: string }>(program, {
    name: 'resume-payouts',
    summary: 'Let payments go on after a clean comparison, or with --accept; exit code 1 while questions are open',
    run: (runtime, { accept = false, note }) => resumePayments(operatorContext(runtime), runtime.rails, { accept, note }),
  })
    .option('--accept', 'You take responsibility for what no list can show')
    .option('--note <text>', 'Why, for the audit log');
};
