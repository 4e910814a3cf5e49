import type { Account, TransferKind } from '../../contracts/ledger.ts';
import type { Rail } from '../../contracts/rails.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { execute, firstRow, type RawBuilder, type Statement, sql, statementOf } from '../../platform/database/sql.ts';
import { columnsFrom, type Lists, tableOf } from '../../platform/database/table.ts';
import { invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';

// Templates: transfers are one statement that changes several tables, with the parts of its caller; P8 measures it.

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
  /** Time of what caused the transfer. Default: now. */
  at?: Date;
}

const assertAmounts = (transfers: readonly { amount: number }[]): void =>
  invariant(
    transfers.every(({ amount }) => Number.isSafeInteger(amount) && amount >= 0),
    'an amount is a non-negative integer of minor units',
  );

/**
 * Posts balanced double entries and updates the balances. Check constraints of the database reject a balance below its minimum. A balance
 * is created with the first transfer of its affiliate; whoever posts transfers of several affiliates holds the locks of their balances.
 * Not idempotent.
 */
export const postTransfers = async (
  ctx: Context,
  transfers: readonly LedgerTransfer[],
  posting: Posting = PLAIN,
): Promise<void> => {
  assertAmounts(transfers);
  if (transfers.length === 0) return;
  await inTransaction(ctx, async (ctx) => {
    const affiliates = new Set(transfers.map(({ affiliateId }) => affiliateId)).size;
    let posted = await insertEntries(ctx, transfers, posting);
    if (posted === 0) {
      await createBalances(ctx, transfers);
      posted = await insertEntries(ctx, transfers, posting);
    }
    invariant(posted === affiliates, 'each affiliate has a balance');
  });
};

const COLUMNS = {
  transactionId: 'uuid',
  kind: 'text',
  fromAccount: 'text',
  toAccount: 'text',
  amount: 'bigint',
  currency: 'text',
  programId: 'uuid',
  affiliateId: 'uuid',
  referenceId: 'uuid',
  openAdjustments: 'bigint',
  at: 'timestamptz',
} as const;

const rowOf = (ctx: Context, { from, to, ...transfer }: LedgerTransfer) => ({
  ...transfer,
  openAdjustments: transfer.openAdjustments ?? 0,
  transactionId: ctx.ids.next(),
  fromAccount: from,
  toAccount: to,
  at: (transfer.at ?? ctx.clock.now()).toISOString(),
});

type Row = Pick<ReturnType<typeof rowOf>, keyof typeof COLUMNS>;

const changeOf = (account: Account) => {
  const name = sql.lit(account);
  return sql`coalesce(sum(case when to_account = ${name} then amount end), 0) - coalesce(sum(case when from_account = ${name} then amount end), 0)`;
};

const OWNER = sql`case account when 'merchant_expense' then item.program_id else item.affiliate_id end`;

/** `booking_date` locks the books of the merchant against a closing of the month until the transaction ends. */
const entriesOf = (transfers: Given<Lists<Row>>) => sql`item as materialized (
    select * from ${tableOf(transfers, COLUMNS, 'item')}),
  balance as (
    update ledger_balance b set pending = b.pending + change.pending, payable = b.payable + change.payable,
      in_payout = b.in_payout + change.in_payout, paid = b.paid + change.paid,
      open_adjustments = b.open_adjustments + change.open_adjustments
    from (select affiliate_id, currency, ${changeOf('pending')} as pending, ${changeOf('payable')} as payable,
        ${changeOf('in_payout')} as in_payout, ${changeOf('paid')} as paid, sum(open_adjustments) as open_adjustments
      from item group by affiliate_id, currency) as change
    where b.affiliate_id = change.affiliate_id and b.currency = change.currency
    returning b.affiliate_id, b.merchant_id),
  booked as materialized (
    select merchant_id, at, booking_date(merchant_id, at) as day
    from (select distinct balance.merchant_id, item.at from balance join item using (affiliate_id)) as posted),
  entries as (
    insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id,
      booked_on, created_at)
    select item.transaction_id, item.kind, account, ${OWNER}, item.program_id, booked.merchant_id, item.currency, side.amount,
      item.reference_id, booked.day, item.at
    from item join balance using (affiliate_id) join booked using (merchant_id, at)
    cross join lateral (values (item.from_account, -item.amount), (item.to_account, item.amount)) as side (account, amount)
    where item.amount <> 0)`;

/** The names under which a statement gets the transfers, apart from those of its other values. */
type Parameters = { readonly [Name in keyof Row as `item.${Name}`]: readonly Row[Name][] };

type Posting = (transfers: Parameters) => Statement<{ count: number }>;

/**
 * A statement that posts transfers, compiled once, with writes of its caller. They happen after the balances are locked: each is
 * `name as (…)` and reads `balance (affiliate_id)`, which has one row for each affiliate.
 */
export const postingWith = <Values extends object>(writes: (given: Given<Values>) => readonly RawBuilder<unknown>[]) =>
  compileOnce((given: Given<Values & Parameters>) => {
    const lists = Object.keys(COLUMNS).map((name) => [name, Reflect.get(given, `item.${name}`)]);
    // Names are those of the columns.
    const all = [entriesOf(Object.fromEntries(lists) as Given<Lists<Row>>), ...writes(given as Given<Values>)];
    return statementOf(sql<{ count: number }>`with ${sql.join(all)} select count(*) as count from balance`);
  });

const PLAIN: Posting = postingWith(() => []);

const insertEntries = async (ctx: Context, transfers: readonly LedgerTransfer[], posting: Posting): Promise<number> => {
  const lists = columnsFrom<Row>(
    transfers.map((transfer) => rowOf(ctx, transfer)),
    COLUMNS,
  );
  // Names are those of the columns.
  const parameters = Object.fromEntries(
    Object.entries(lists).map(([name, list]) => [`item.${name}`, list]),
  ) as unknown as Parameters;
  return (await firstRow(ctx.em, posting(parameters)))?.count ?? 0;
};

const createBalances = (ctx: Context, transfers: readonly LedgerTransfer[]): Promise<number> =>
  execute(
    ctx.em,
    db
      .insertInto('ledger_balance')
      .values(
        transfers.map(({ affiliateId, programId, merchantId, currency }) => ({ affiliateId, programId, merchantId, currency })),
      )
      .onConflict((conflict) => conflict.column('affiliateId').doNothing()),
  );

/** A transfer alone. */
export const postTransfer = (ctx: Context, transfer: LedgerTransfer): Promise<void> => postTransfers(ctx, [transfer]);

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
