import type { Account, TransferKind } from '../../contracts/ledger.ts';
import type { Rail } from '../../contracts/rails.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { execute, firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { json } from '../../platform/database/table.ts';
import { invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';

// Templates: each transfer is one statement that changes several tables, with the parts of its caller; P8 measures it.

/** Moves money of one affiliate between two accounts. `amount` is in minor units and not negative. */
export interface LedgerTransfer {
  kind: TransferKind;
  from: Account;
  to: Account;
  amount: number;
  currency: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
  /** Id of the conversion, adjustment or payout that caused the transfer. */
  referenceId: string;
  /** Added to the affiliate's open adjustments, which `payable` may be below zero by. */
  openAdjustments?: number;
  /** Of what caused the transfer. Default: now. */
  at?: Date;
}

/**
 * Written with a transfer, in the same statement, after the balance is locked: each is `name as (…)` and reads the one row of
 * `balance (affiliate_id)`.
 */
type Writes = readonly RawBuilder<unknown>[];

const listOf = (writes: Writes) =>
  sql.join(
    writes.map((write) => sql`, ${write}`),
    sql``,
  );

const ENTRY = sql`(transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)`;

/** Evaluated once: it locks the books of the merchant against a closing of the month until the transaction ends. */
const bookedAt = (at: string) =>
  sql`booked as materialized (select merchant_id, booking_date(merchant_id, ${at}) as day from balance)`;

const assertAmounts = (transfers: readonly { amount: number }[]): void =>
  invariant(
    transfers.every(({ amount }) => Number.isSafeInteger(amount) && amount >= 0),
    'an amount is a non-negative integer of minor units',
  );

/**
 * Posts a balanced double entry and updates the balances, with `writes`. Check constraints of the database reject a balance
 * below its minimum. Not idempotent.
 */
export const postTransfer = (ctx: Context, transfer: LedgerTransfer, writes: Writes = []): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    assertAmounts([transfer]);
    if (await insertEntries(ctx, transfer, writes)) return;
    await createBalance(ctx, transfer);
    invariant(await insertEntries(ctx, transfer, writes), 'the balance exists once created');
  });

const ownerOf = (account: Account, transfer: LedgerTransfer): string =>
  account === 'merchant_expense' ? transfer.programId : transfer.affiliateId;

const deltaOf = (account: Account, transfer: LedgerTransfer): number =>
  (transfer.to === account ? transfer.amount : 0) - (transfer.from === account ? transfer.amount : 0);

const insertEntries = async (ctx: Context, transfer: LedgerTransfer, writes: Writes): Promise<boolean> => {
  const { kind, from, to, amount, programId, currency, referenceId } = transfer;
  const transactionId = ctx.ids.next();
  const at = (transfer.at ?? ctx.clock.now()).toISOString();
  const updated = await firstRow(
    ctx.em,
    sql`with balance as (
        update ledger_balance set
          pending = pending + ${deltaOf('pending', transfer)},
          payable = payable + ${deltaOf('payable', transfer)},
          in_payout = in_payout + ${deltaOf('in_payout', transfer)},
          paid = paid + ${deltaOf('paid', transfer)},
          open_adjustments = open_adjustments + ${transfer.openAdjustments ?? 0}
        where affiliate_id = ${transfer.affiliateId} and currency = ${currency}
        returning affiliate_id, merchant_id),
      ${bookedAt(at)},
      line (account, owner_id, amount) as (values
        (${from}, ${ownerOf(from, transfer)}::uuid, -${amount}::bigint),
        (${to}, ${ownerOf(to, transfer)}::uuid, ${amount}::bigint)),
      entries as (insert into ledger_entry ${ENTRY}
        select ${transactionId}, ${kind}, line.account, line.owner_id, ${programId}, booked.merchant_id, ${currency}, line.amount,
          ${referenceId}, booked.day, ${at}
        from line, booked where line.amount <> 0)
      ${listOf(writes)}
      select affiliate_id from balance`,
  );
  return updated !== null;
};

const createBalance = (ctx: Context, { affiliateId, programId, merchantId, currency }: LedgerTransfer): Promise<number> =>
  execute(
    ctx.em,
    db
      .insertInto('ledger_balance')
      .values({ affiliateId, programId, merchantId, currency })
      .onConflict((conflict) => conflict.column('affiliateId').doNothing()),
  );

/** What the transfers of one batch have in common. */
export interface TransferOwner extends Pick<LedgerTransfer, 'programId' | 'currency' | 'affiliateId'> {}

export type BatchTransfer = Pick<LedgerTransfer, 'kind' | 'from' | 'to' | 'amount' | 'referenceId'>;

/**
 * As `postTransfer`, for many transfers of one affiliate, in one statement, with its `writes`. The affiliate must have a
 * balance, and the caller its lock. Not idempotent.
 */
export const postTransfers = (
  ctx: Context,
  { affiliateId, programId, currency }: TransferOwner,
  transfers: readonly BatchTransfer[],
  writes: Writes = [],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    assertAmounts(transfers);
    if (transfers.length === 0) return;
    const at = ctx.clock.now().toISOString();
    const items = transfers.map((transfer) => ({ ...transfer, transactionId: ctx.ids.next() }));
    const posted = await firstRow(
      ctx.em,
      sql`with line as materialized (
          select item."transactionId" as transaction_id, item.kind, side.account, side.amount, item."referenceId" as reference_id
          from jsonb_to_recordset(${json(items)}) as item
            ("transactionId" uuid, kind text, "from" text, "to" text, amount bigint, "referenceId" uuid)
          cross join lateral (values (item."from", -item.amount), (item."to", item.amount)) as side (account, amount)
          where item.amount <> 0),
        balance as (
          update ledger_balance b set
            pending = b.pending + total.pending, payable = b.payable + total.payable,
            in_payout = b.in_payout + total.in_payout, paid = b.paid + total.paid
          from (select
              coalesce(sum(amount) filter (where account = 'pending'), 0) as pending,
              coalesce(sum(amount) filter (where account = 'payable'), 0) as payable,
              coalesce(sum(amount) filter (where account = 'in_payout'), 0) as in_payout,
              coalesce(sum(amount) filter (where account = 'paid'), 0) as paid from line) total
          where b.affiliate_id = ${affiliateId} and b.currency = ${currency} returning b.affiliate_id, b.merchant_id),
        ${bookedAt(at)},
        entries as (insert into ledger_entry ${ENTRY}
          select transaction_id, kind, account, case account when 'merchant_expense' then ${programId} else ${affiliateId}::uuid end,
            ${programId}, booked.merchant_id, ${currency}, amount, reference_id, booked.day, ${at}
          from line, booked)
        ${listOf(writes)}
        select affiliate_id from balance`,
    );
    invariant(posted, 'the balance exists');
  });

/** What the transfers of several affiliates have in common. */
export type TransferKindOf = Pick<LedgerTransfer, 'kind' | 'from' | 'to'>;

export type AffiliateTransfer = Omit<LedgerTransfer, 'kind' | 'from' | 'to' | 'merchantId' | 'at'>;

/**
 * As `postTransfer`, for one transfer of each of several affiliates of one merchant, in one statement. They must have balances, and the
 * caller their locks. Not idempotent.
 */
export const postTransferOfEach = async (
  ctx: Context,
  { kind, from, to }: TransferKindOf,
  transfers: readonly AffiliateTransfer[],
): Promise<void> => {
  assertAmounts(transfers);
  const at = ctx.clock.now().toISOString();
  const items = transfers.map((transfer) => ({ openAdjustments: 0, ...transfer, transactionId: ctx.ids.next() }));
  const delta = (account: Account) => sql`${sql.lit((to === account ? 1 : 0) - (from === account ? 1 : 0))} * item.amount`;
  const posted = await firstRow(
    ctx.em,
    sql<{ count: number }>`with item as materialized (
        select * from jsonb_to_recordset(${json(items)}) as item ("transactionId" uuid, "affiliateId" uuid, "programId" uuid,
          currency text, amount bigint, "referenceId" uuid, "openAdjustments" bigint)),
      balance as (
        update ledger_balance b set
          pending = b.pending + ${delta('pending')}, payable = b.payable + ${delta('payable')},
          in_payout = b.in_payout + ${delta('in_payout')}, paid = b.paid + ${delta('paid')},
          open_adjustments = b.open_adjustments + item."openAdjustments"
        from item where b.affiliate_id = item."affiliateId" and b.currency = item.currency
        returning b.affiliate_id, b.merchant_id),
      booked as materialized (
        select merchant_id, booking_date(merchant_id, ${at}) as day from (select distinct merchant_id from balance) as owner),
      entries as (insert into ledger_entry ${ENTRY}
        select item."transactionId", ${kind}, side.account, side.owner_id, item."programId", booked.merchant_id, item.currency,
          side.amount, item."referenceId", booked.day, ${at}
        from booked join balance using (merchant_id) join item on item."affiliateId" = balance.affiliate_id
        cross join lateral (values
          (${from}, ${ownerIn(from)}, -item.amount), (${to}, ${ownerIn(to)}, item.amount)) as side (account, owner_id, amount)
        where item.amount <> 0)
      select count(*) as count from balance`,
  );
  invariant(posted?.count === transfers.length, 'each affiliate has a balance');
};

const ownerIn = (account: Account) => (account === 'merchant_expense' ? sql`item."programId"` : sql`item."affiliateId"`);

export interface RailFee {
  rail: Rail;
  merchantId: string;
  programId: string;
  currency: string;
  /** Minor units; below zero for what the rail gave back. */
  amount: number;
  /** Id of the payout. */
  referenceId: string;
}

/** Books what a rail charged for a payout as an expense of its program. Changes no balance of an affiliate. Not idempotent. */
export const postRailFee = async (ctx: Context, { rail, programId, merchantId, ...fee }: RailFee): Promise<void> => {
  const { amount, currency, referenceId } = fee;
  if (amount === 0) return;
  const createdAt = ctx.clock.now().toISOString();
  const entry = {
    transactionId: ctx.ids.next(),
    kind: amount > 0 ? 'rail_fee' : 'rail_fee_returned',
    ownerId: programId,
    programId,
    merchantId,
    currency,
    referenceId,
    bookedOn: sql<string>`booking_date(${merchantId}::uuid, ${createdAt}::timestamptz)`,
    createdAt,
  } as const;
  const entries = [
    { ...entry, account: 'merchant_expense', amount: -amount, rail: null },
    { ...entry, account: 'rail_fees', amount, rail },
  ] as const;
  await execute(ctx.em, db.insertInto('ledger_entry').values(entries));
};
