import { after, DAY_MS } from '../../../platform/clock.ts';
import { type Context, emit } from '../../../platform/context.ts';
import type { Given } from '../../../platform/database/compiled.ts';
import { type RawBuilder, sql } from '../../../platform/database/sql.ts';
import { type SaleCredit, saleCredit } from '../../affiliates/index.ts';
import { type LedgerTransfer, postingWith, postTransfers } from '../../ledger/index.ts';
import type { ProgramRecord } from '../../programs/index.ts';
import { wakeScreening } from '../../tracking/index.ts';
import type { Attribution, Membership } from '../attribute/attribution.rules.ts';
import { Conversion } from '../conversion.entity.ts';
import { type SaleFields, toConversionEvent } from '../conversions.wire.ts';
import { announceHolds, disputeHold } from '../hold/announce-conversions.steps.ts';
import { refundConversion } from '../refund/refunds.steps.ts';
import type { Sale } from '../sale.entity.ts';
import { commissionOf } from './commission.rules.ts';

/** `commissionPercent` replaces the program's percent. */
export type Member = Membership & { commissionPercent: number | null };

/** The columns of a stored sale that its conversion depends on. */
export type StoredSale = SaleFields &
  Pick<
    Sale,
    'id' | 'merchantId' | 'programId' | 'amount' | 'refunded' | 'currency' | 'stripeSessionId' | 'disputedAt' | 'occurredAt'
  >;

export interface NewConversion {
  program: ProgramRecord;
  sale: StoredSale;
  match: Pick<Attribution, 'affiliateId' | 'method'>;
  member: Member;
}

/**
 * Posts the commission of a sale, less what is refunded already, and returns the id of the conversion. The caller must hold the
 * affiliate's membership lock and have stored the sale. The sales of an affiliate wait for each other from the lock of the
 * balance on: everything behind it is one statement.
 */
export const createConversion = async (ctx: Context, input: NewConversion): Promise<string> => {
  const { sale } = input;
  const { merchantId, programId, currency } = sale;
  const conversion = newConversion(ctx, input);
  const { id, affiliateId, amount, commission } = conversion;
  await emit(ctx, { type: 'conversion.created', merchantId, programId, data: toConversionEvent(conversion, sale) });
  const transfer: LedgerTransfer = {
    kind: 'conversion',
    from: 'merchant_expense',
    to: 'pending',
    amount: commission,
    currency,
    merchantId,
    programId,
    affiliateId,
    referenceId: id,
  };
  const credit: SaleCredit = { conversions: 1, revenue: amount, earnings: commission };
  await postTransfers(ctx, [transfer], (parameters) => posting({ ...parameters, ...credit, ...conversion }));
  if (sale.disputedAt) await announceHolds(ctx, merchantId, new Map([[id, disputeHold(sale.disputedAt)]]));
  if (sale.refunded > 0) await refundConversion(ctx, await ctx.em.findOneOrFail(Conversion, { id }), sale, sale.refunded);
  return id;
};

/** A conversion as it is created: in its hold, and not screened. */
const newConversion = (ctx: Context, { program, sale, match, member }: NewConversion) => {
  const now = ctx.clock.now();
  const commissionPercent = member.commissionPercent ?? program.commissionPercent;
  return {
    id: ctx.ids.next(),
    saleId: sale.id,
    merchantId: sale.merchantId,
    programId: sale.programId,
    affiliateId: match.affiliateId,
    amount: sale.amount,
    refunded: 0,
    commission: commissionOf({ amount: sale.amount, refunded: 0, percent: commissionPercent }),
    commissionPercent,
    currency: sale.currency,
    status: 'pending' as const,
    method: match.method,
    stripeSessionId: sale.stripeSessionId ?? null,
    releaseAt: after(now, program.commissionHoldDays * ctx.settings.scaled(DAY_MS)),
    disputedAt: sale.disputedAt ?? null,
    createdAt: now,
  };
};

/** A write of `postingWith`: a template, because it reads the row of another part of the statement. */
const insertOf = (conversion: Given<ReturnType<typeof newConversion>>): RawBuilder<unknown> => sql`created as (
  insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, refunded, commission, commission_percent,
    currency, status, method, stripe_session_id, release_at, disputed_at, created_at, updated_at)
  select ${conversion.id}::uuid, ${conversion.saleId}::uuid, ${conversion.merchantId}::uuid, ${conversion.programId}::uuid,
    balance.affiliate_id, ${conversion.amount}::bigint, ${conversion.refunded}::bigint, ${conversion.commission}::bigint,
    ${conversion.commissionPercent}::numeric, ${conversion.currency}, ${conversion.status}, ${conversion.method},
    ${conversion.stripeSessionId}::text, ${conversion.releaseAt}::timestamptz,
    ${conversion.disputedAt}::timestamptz, ${conversion.createdAt}::timestamptz, ${conversion.createdAt}::timestamptz
  from balance)`;

const posting = postingWith((given: Given<SaleCredit & ReturnType<typeof newConversion>>) => [
  saleCredit(given),
  insertOf(given),
  sql`woken as (${wakeScreening(sql`affiliate_id`, sql`balance`)})`,
]);
