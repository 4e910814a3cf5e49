import type { Account, TransferKind } from '../../contracts/ledger.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';

/** Money of one membership going from one account to another. `amount` is positive minor units. */
export interface LedgerTransfer {
  kind: TransferKind;
  from: Account;
  to: Account;
  amount: number;
  currency: string;
  merchantId: string;
  programId: string;
  affiliateId: string;
  /** The conversion or payout that is the reason. */
  referenceId: string;
  /** Change of what refunds after payment still owe; part of the floor of `payable`. */
  openAdjustments?: number;
}

const ownerOf = (account: Account, movement: LedgerTransfer): string =>
  account === 'merchant_expense' ? movement.programId : movement.affiliateId;

/** Books a balanced double entry and the balances it changes. The database refuses what breaks a floor. */
export const postTransfer = (ctx: Context, movement: LedgerTransfer): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    invariant(Number.isSafeInteger(movement.amount) && movement.amount >= 0, 'an amount is a whole number of minor units');
    if (await insertEntries(ctx, movement)) return;
    await openAccounts(ctx, movement);
    invariant(await insertEntries(ctx, movement), 'the accounts of a membership exist once opened');
  });

const deltaOf = (account: Account, movement: LedgerTransfer): number =>
  (movement.to === account ? movement.amount : 0) - (movement.from === account ? movement.amount : 0);

const insertEntries = async (ctx: Context, movement: LedgerTransfer): Promise<boolean> => {
  const { kind, from, to, amount, programId, currency, referenceId } = movement;
  const transactionId = ctx.ids.next();
  const at = ctx.clock.now().toISOString();
  const booked = await firstRow(
    ctx.em,
    sql`with balance as (
        update ledger_balance set
          pending = pending + ${deltaOf('pending', movement)}::bigint,
          payable = payable + ${deltaOf('payable', movement)}::bigint,
          in_payout = in_payout + ${deltaOf('in_payout', movement)}::bigint,
          paid = paid + ${deltaOf('paid', movement)}::bigint,
          open_adjustments = open_adjustments + ${movement.openAdjustments ?? 0}::bigint
        where affiliate_id = ${movement.affiliateId}::uuid and currency = ${currency}
        returning affiliate_id),
      line (account, owner_id, amount) as (values
        (${from}, ${ownerOf(from, movement)}::uuid, -${amount}::bigint),
        (${to}, ${ownerOf(to, movement)}::uuid, ${amount}::bigint)),
      entries as (insert into ledger_entry
        (transaction_id, kind, account, owner_id, program_id, currency, amount, reference_id, created_at)
        select ${transactionId}::uuid, ${kind}, line.account, line.owner_id, ${programId}::uuid, ${currency}, line.amount,
          ${referenceId}::uuid, ${at}::timestamptz
        from line, balance where line.amount <> 0)
      select affiliate_id from balance`,
  );
  return booked !== null;
};

const openAccounts = (ctx: Context, movement: LedgerTransfer): Promise<number> =>
  execute(
    ctx.em,
    sql`insert into ledger_balance (affiliate_id, program_id, merchant_id, currency) values
      (${movement.affiliateId}::uuid, ${movement.programId}::uuid, ${movement.merchantId}::uuid, ${movement.currency})
      on conflict (affiliate_id) do nothing`,
  );
