import { v7 } from 'uuid';
import type { DifferenceKind } from '../../src/contracts/reconciliation.ts';
import { holdPayee } from '../../src/domains/payouts/index.ts';
import { db } from '../../src/domains/tables.ts';
import { execute } from '../../src/platform/database/sql.ts';
import { json } from '../../src/platform/database/table.ts';
import type { TestApi } from './api.ts';

interface Given {
  merchantId: string;
  kind?: DifferenceKind;
  programId?: string;
  payoutId?: string;
  /** Holds the payee with this address. */
  receiver?: string;
  /** Holds the payee of this payment. */
  payment?: Partial<Parameters<typeof holdPayee>[1]['payment']>;
}

/** An open difference of a merchant, as a comparison stores it; of a payment that is missing here, with its hold. */
export const makeDifference = async (api: TestApi, { merchantId, kind = 'missing_here', ...given }: Given): Promise<string> => {
  const ctx = api.runtime.context({ kind: 'system', name: 'test' });
  const at = new Date().toISOString();
  const [runId, id] = [v7(), v7()];
  const theirs = {
    ...{ state: 'paid', amount: 4_860, currency: 'usd', fee: null, feeCurrency: null, destination: 'a***@example.com' },
    ...{ reference: 'trf_1', payments: 1, at },
  };
  const period = { since: at, until: at, completeUntil: at, createdAt: at, endedAt: at };
  const run = { id: runId, merchantId, rail: 'sandbox', trigger: 'schedule', status: 'completed', ...period } as const;
  await execute(ctx.em, db.insertInto('reconciliation_run').values(run));
  await execute(
    ctx.em,
    db.insertInto('reconciliation_difference').values({
      ...{
        id,
        fingerprint: id,
        merchantId,
        rail: 'sandbox',
        kind,
        status: 'open',
        runId,
        occurredAt: at,
        createdAt: at,
        seenAt: at,
      },
      ...{ programId: given.programId ?? null, payoutId: given.payoutId ?? null, ours: null, theirs: json(theirs) },
    }),
  );
  const { receiver, payment = receiver === undefined ? null : { receiver } } = given;
  if (payment) {
    const missing = { idempotencyKey: null, references: { transaction: 'trf_1' }, receiver: null };
    const held = { ...missing, amountMinor: 4_860, currency: 'usd', ...payment };
    await holdPayee(ctx, { id, merchantId, rail: 'sandbox', payment: held });
  }
  return id;
};
