import type { Account, TransferKind } from '../../contracts/ledger.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { execute, firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';

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
}

const ownerOf = (account: Account, transfer: LedgerTransfer): string =>
  account === 'merchant_expense' ? transfer.programId : transfer.affiliateId;

/**
 * Posts a balanced double entry and updates the balances. Check constraints of the database reject a balance below its
 * minimum. `writes` are written with it, in the same statement, after the balance is locked: each is `name as (…)` and reads
 * the one row of `balance (affiliate_id)`. Not idempotent.
 */
export const postTransfer = (
  ctx: Context,
  transfer: LedgerTransfer,
  writes: readonly RawBuilder<unknown>[] = [],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    invariant(
      Number.isSafeInteger(transfer.amount) && transfer.amount >= 0,
      'an amount is a non-negative integer of minor units',
    );
    if (await insertEntries(ctx, transfer, writes)) return;
    await createBalance(ctx, transfer);
    invariant(await insertEntries(ctx, transfer, writes), 'the balance exists once created');
  });

const deltaOf = (account: Account, transfer: LedgerTransfer): number =>
  (transfer.to === account ? transfer.amount : 0) - (transfer.from === account ? transfer.amount : 0);

const insertEntries = async (
  ctx: Context,
  transfer: LedgerTransfer,
  writes: readonly RawBuilder<unknown>[],
): Promise<boolean> => {
  const { kind, from, to, amount, programId, currency, referenceId } = transfer;
  const transactionId = ctx.ids.next();
  const at = ctx.clock.now().toISOString();
  const updated = await firstRow(
    ctx.em,
    sql`with balance as (
        update ledger_balance set
          pending = pending + ${deltaOf('pending', transfer)}::bigint,
          payable = payable + ${deltaOf('payable', transfer)}::bigint,
          in_payout = in_payout + ${deltaOf('in_payout', transfer)}::bigint,
          paid = paid + ${deltaOf('paid', transfer)}::bigint,
          open_adjustments = open_adjustments + ${transfer.openAdjustments ?? 0}::bigint
        where affiliate_id = ${transfer.affiliateId}::uuid and currency = ${currency}
        returning affiliate_id),
      line (account, owner_id, amount) as (values
        (${from}, ${ownerOf(from, transfer)}::uuid, -${amount}::bigint),
        (${to}, ${ownerOf(to, transfer)}::uuid, ${amount}::bigint)),
      entries as (insert into ledger_entry
        (transaction_id, kind, account, owner_id, program_id, currency, amount, reference_id, created_at)
        select ${transactionId}::uuid, ${kind}, line.account, line.owner_id, ${programId}::uuid, ${currency}, line.amount,
          ${referenceId}::uuid, ${at}::timestamptz
        from line, balance where line.amount <> 0)
      ${sql.join(
        writes.map((write) => sql`, ${write}`),
        sql``,
      )}
      select affiliate_id from balance`,
  );
  return updated !== null;
};

const createBalance = (ctx: Context, transfer: LedgerTransfer): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into ledger_balance (affiliate_id, program_id, merchant_id, currency) values
      (${transfer.affiliateId}::uuid, ${transfer.programId}::uuid, ${transfer.merchantId}::uuid, ${transfer.currency})
      on conflict (affiliate_id) do nothing`,
  );
