import { type Context, inTransaction } from '../../platform/context.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import type { LedgerTransfer } from './post-transfer.ts';

/** What the transfers of one batch have in common. */
export interface TransferOwner extends Pick<LedgerTransfer, 'programId' | 'currency' | 'affiliateId'> {}

export type BatchTransfer = Pick<LedgerTransfer, 'kind' | 'from' | 'to' | 'amount' | 'referenceId'>;

/**
 * As `postTransfer`, for many transfers of one affiliate, in one statement, with its `writes`. The affiliate must have a
 * balance, and the caller its lock. Not idempotent.
 */
export const postTransfers = (
  ctx: Context,
  owner: TransferOwner,
  transfers: readonly BatchTransfer[],
  writes: readonly RawBuilder<unknown>[] = [],
): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    invariant(
      transfers.every(({ amount }) => Number.isSafeInteger(amount) && amount >= 0),
      'an amount is a non-negative integer of minor units',
    );
    if (transfers.length === 0) return;
    const { affiliateId, programId, currency } = owner;
    const items = transfers.map((transfer) => ({ ...transfer, transactionId: ctx.ids.next() }));
    const posted = await firstRow(
      ctx.em,
      sql`with line as materialized (
          select item."transactionId" as transaction_id, item.kind, side.account, side.amount, item."referenceId" as reference_id
          from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as item
            ("transactionId" uuid, kind text, "from" text, "to" text, amount bigint, "referenceId" uuid)
          cross join lateral (values (item."from", -item.amount), (item."to", item.amount)) as side (account, amount)
          where item.amount <> 0),
        balance as (
          update ledger_balance b set
            pending = b.pending + total.pending, payable = b.payable + total.payable,
            in_payout = b.in_payout + total.in_payout, paid = b.paid + total.paid
          from (select
              coalesce(sum(amount) filter (where account = 'pending'), 0)::bigint as pending,
              coalesce(sum(amount) filter (where account = 'payable'), 0)::bigint as payable,
              coalesce(sum(amount) filter (where account = 'in_payout'), 0)::bigint as in_payout,
              coalesce(sum(amount) filter (where account = 'paid'), 0)::bigint as paid from line) total
          where b.affiliate_id = ${affiliateId}::uuid and b.currency = ${currency} returning b.affiliate_id),
        entries as (insert into ledger_entry
          (transaction_id, kind, account, owner_id, program_id, currency, amount, reference_id, created_at)
          select transaction_id, kind, account, case account when 'merchant_expense' then ${programId}::uuid else affiliate_id end,
            ${programId}::uuid, ${currency}, amount, reference_id, ${ctx.clock.now().toISOString()}::timestamptz
          from line, balance)
        ${sql.join(
          writes.map((write) => sql`, ${write}`),
          sql``,
        )}
        select affiliate_id from balance`,
    );
    invariant(posted, 'the balance exists');
  });
