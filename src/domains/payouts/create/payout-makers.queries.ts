import { actorName, type Context } from '../../../platform/context.ts';
import { type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { findPayoutDestinations, openPayoutDestination } from '../../affiliates/index.ts';
import { actorsOfLine } from '../../auth/index.ts';
import { destinationHash } from './destination.rules.ts';

/** What is being approved: rows `of (affiliate_id, program_id, destination_hash)`. */
export interface ApprovedItems {
  merchantId: string;
  of: RawBuilder<unknown>;
  /** When it was drafted or created. */
  madeAt: Date;
  /** Whether a conversion is paid by it. */
  isPaid: (conversion: RawBuilder<unknown>) => RawBuilder<boolean>;
}

/** A change of a program's terms is what everybody knows after this time. */
const PROGRAM_DAYS = 30;

const hasField = (...names: string[]) =>
  sql<boolean>`(${sql.join(
    names.map((name) => sql`l.changes @> ${JSON.stringify([{ field: name }])}::jsonb`),
    sql` or `,
  )})`;

const ENTERED = hasField('payoutDetails', 'paypalEmail', 'bankIban', 'bankAccountHolder');
const PERCENT = hasField('commissionPercent');
const TERMS = hasField('commissionPercent', 'commissionType', 'commissionLimitMonths');

/**
 * The affiliates whose items the caller, or somebody of their line, made: they credited a sale that is paid or, since the last payout to
 * that destination, entered the account, set the percent of the affiliate, or, in the 30 days before, the terms of the program. A template:
 * the audit log, which says who did what, is read from the few entries of one actor on.
 */
export const findItemsMadeByCaller = async (ctx: Context, items: ApprovedItems): Promise<Set<string>> => {
  const actors = actorsOfLine(actorName(ctx.actor));
  if (actors === null) return new Set();
  const found = await rows(
    ctx.em,
    sql<{ affiliateId: string; destinationHash: string | null; isAccount: boolean }>`
      with act as materialized (
        select l.action, l.resource_id, l.created_at,
          l.action = 'affiliate.payout_details_changed' or l.action = 'affiliate.added' and ${ENTERED} as is_account,
          l.action = 'affiliate.updated' and ${PERCENT} as is_percent, l.action = 'program.updated' and ${TERMS} as is_terms
        from audit_log l where l.owner_id = ${items.merchantId}::uuid and l.actor = any(${actors})
          and l.action in ('affiliate.added','affiliate.payout_details_changed','affiliate.updated','program.updated','sale.attributed')
          and l.created_at <= ${items.madeAt.toISOString()}::timestamptz),
      made as (
        select o.*, act.created_at as acted_at, true as is_account from act join (${items.of}) o on o.affiliate_id = act.resource_id
          where act.is_account
        union all
        select o.*, act.created_at, false from act join (${items.of}) o on o.affiliate_id = act.resource_id
          where act.is_percent and ${isComputedSince(items)}
        union all
        select o.*, act.created_at, false from act join (${items.of}) o on o.program_id = act.resource_id
          where act.is_terms and ${isComputedSince(items)}
            and act.created_at > ${items.madeAt.toISOString()}::timestamptz - make_interval(days => ${sql.lit(PROGRAM_DAYS)})
        union all
        select o.*, 'infinity', false from act join conversion c on c.sale_id = act.resource_id
          join (${items.of}) o on o.affiliate_id = c.affiliate_id where act.action = 'sale.attributed' and ${items.isPaid(sql`c`)})
      select m.affiliate_id as "affiliateId", m.destination_hash as "destinationHash", bool_or(m.is_account) as "isAccount"
      from made m where m.acted_at > coalesce(${lastPayout(items)}, '-infinity')
      group by m.affiliate_id, m.destination_hash, m.is_account`,
  );
  const others = found.filter(({ isAccount }) => !isAccount).map(({ affiliateId }) => affiliateId);
  return new Set([
    ...others,
    ...(await withoutOwn(
      ctx,
      found.filter(({ isAccount }) => isAccount),
    )),
  ]);
};

const isComputedSince = ({ isPaid }: ApprovedItems) =>
  sql<boolean>`exists (select from conversion c where c.affiliate_id = o.affiliate_id and c.created_at >= act.created_at and ${isPaid(sql`c`)})`;

/** Old payouts do not name their destination: those to the affiliate since the details were last changed went there. */
const lastPayout = ({ merchantId, madeAt }: ApprovedItems) => sql`greatest(
  (select max(p.created_at) from payout p where p.merchant_id = ${merchantId}::uuid and p.status = 'completed'
    and p.destination_hash = m.destination_hash and p.created_at < ${madeAt.toISOString()}::timestamptz),
  (select max(p.created_at) from payout p join affiliate a on a.id = p.affiliate_id where p.affiliate_id = m.affiliate_id
    and p.status = 'completed' and p.destination_hash is null
    and p.created_at < ${madeAt.toISOString()}::timestamptz and p.created_at > coalesce(a.payout_details_changed_at, '-infinity')))`;

/** Those who are not paid to an account that they entered themselves: what the merchant entered steers nothing there. */
const withoutOwn = async (
  ctx: Context,
  accounts: readonly { affiliateId: string; destinationHash: string | null }[],
): Promise<string[]> => {
  const stored = await findPayoutDestinations(
    ctx,
    accounts.map(({ affiliateId }) => affiliateId),
  );
  const own = new Map(
    stored.flatMap((row) => {
      const { details, isEntered } = openPayoutDestination(ctx, row);
      return details && !isEntered ? [[row.affiliateId, destinationHash(ctx.cipher, details)] as const] : [];
    }),
  );
  return accounts.flatMap(({ affiliateId, destinationHash: hash }) => (own.get(affiliateId) === hash ? [] : [affiliateId]));
};
