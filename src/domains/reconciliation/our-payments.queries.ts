import type { AttemptOutcome } from '../../contracts/payouts.ts';
import type { Context } from '../../platform/context.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { readPaymentReceiver } from '../payouts/index.ts';
import { db } from '../tables.ts';
import type { ComparedAccount } from './accounts.queries.ts';
import type { OurPayment } from './compare.rules.ts';
import type { TheirPayment } from './tally.rules.ts';

/** A payment of our books with what leads to it. */
export interface BookedPayment extends OurPayment {
  attemptId: string;
  /** Ids that the provider gave it. */
  references: readonly string[];
}

const payments = ({ rail, railAccountId }: ComparedAccount) =>
  db
    .selectFrom('payout_attempt as t')
    .innerJoin('payout as p', 'p.id', 't.payoutId')
    .leftJoin('bank_file_line as l', 'l.attemptId', 't.id')
    .leftJoin('bank_file as f', 'f.id', 'l.fileId')
    .select(['t.id as attemptId', 't.payoutId', 't.idempotencyKey', 't.outcome', 't.fee', 't.otherFees', 't.updatedAt'])
    .select(['t.railReference', 't.railReferences', 'p.merchantId', 'p.programId', 'p.amount', 'p.currency', 'p.details'])
    .select(sql<string>`coalesce(t.first_sent_at, t.created_at)`.as('sentAt'))
    .select('f.executionDate')
    .where('t.rail', '=', rail)
    .where('t.railAccountId', railAccountId === null ? 'is' : '=', railAccountId);

interface Row {
  attemptId: string;
  payoutId: string;
  merchantId: string;
  programId: string;
  idempotencyKey: string;
  outcome: AttemptOutcome;
  amount: number;
  currency: string;
  fee: number | null;
  otherFees: readonly { amountMinor: number; currency: string }[] | null;
  railReference: string | null;
  railReferences: object | null;
  details: string | null;
  sentAt: string;
  /** Set for a payment in a bank file. */
  executionDate: string | null;
  updatedAt: string;
}

const toPayment = (ctx: Context, row: Row): BookedPayment => ({
  attemptId: row.attemptId,
  payoutId: row.payoutId,
  merchantId: row.merchantId,
  programId: row.programId,
  idempotencyKey: row.idempotencyKey,
  outcome: row.outcome,
  amountMinor: row.amount,
  currency: row.currency,
  fees: [
    ...(row.fee === null ? [] : [{ amountMinor: row.fee, currency: row.currency }]),
    ...(row.otherFees ?? []).map(({ amountMinor, currency }) => ({ amountMinor, currency })),
  ],
  receiver: readPaymentReceiver(ctx, { id: row.payoutId, details: row.details }),
  sentAt: new Date(row.sentAt),
  dueAt: new Date(Math.max(Date.parse(row.sentAt), Date.parse(row.executionDate ?? row.sentAt))),
  changedAt: new Date(row.updatedAt),
  references: [row.railReference ?? [], Object.values(row.railReferences ?? {})].flat(2) as string[],
});

/** Payments of an account that were first sent in a period, in the order of ids. */
export const listOurPayments = async (
  ctx: Context,
  account: ComparedAccount,
  { since, until, after, limit }: { since: Date; until: Date; after: string | null; limit: number },
): Promise<BookedPayment[]> => {
  const sentAt = sql<string>`coalesce(t.first_sent_at, t.created_at)`;
  const found = await rows(
    ctx.em,
    payments(account)
      .where(sentAt, '>=', since.toISOString())
      .where(sentAt, '<', until.toISOString())
      .$if(after !== null, (query) => query.where('t.id', '>', after ?? ''))
      .orderBy('t.id')
      .limit(limit)
      .$castTo<Row>(),
  );
  return found.map((row) => toPayment(ctx, row));
};

/** Payments of an account that listed ones may be: by our key, by the payout, or by the provider's ids. */
export const findOurPayments = async (
  ctx: Context,
  account: ComparedAccount,
  theirs: readonly TheirPayment[],
): Promise<BookedPayment[]> => {
  const keys = theirs.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
  const payoutIds = theirs.flatMap(({ reference }) => (reference !== null && isUuid(reference) ? reference : []));
  const ids = theirs.flatMap(({ id, references }) => [id, ...Object.values(references)]).map((id) => id.toLowerCase());
  const found = await rows(
    ctx.em,
    payments(account)
      .where(
        sql<boolean>`t.id = any(array(
          select id from payout_attempt where idempotency_key = any(${keys})
          union select id from payout_attempt where payout_id = any(${payoutIds}::uuid[])
          union select id from payout_attempt where rail_reference is not null and lower(rail_reference) = any(${ids})))`,
      )
      .$castTo<Row>(),
  );
  return found.map((row) => toPayment(ctx, row));
};

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Which of these payouts exist, with whose they are. */
export const findPayoutOwners = async (
  ctx: Context,
  payoutIds: readonly string[],
): Promise<Map<string, { merchantId: string; programId: string }>> => {
  if (payoutIds.length === 0) return new Map();
  const found = await rows(
    ctx.em,
    db.selectFrom('payout').select(['id', 'merchantId', 'programId']).where(sql<boolean>`id = any(${payoutIds}::uuid[])`),
  );
  return new Map(found.map(({ id, ...owner }) => [id, owner]));
};

/** Keys that an attempt of any account has. */
export const findKnownKeys = async (ctx: Context, keys: readonly string[]): Promise<Set<string>> => {
  const found = await rows(
    ctx.em,
    db.selectFrom('payout_attempt').select('idempotencyKey').where(sql<boolean>`idempotency_key = any(${keys})`),
  );
  return new Set(found.map(({ idempotencyKey }) => idempotencyKey));
};
