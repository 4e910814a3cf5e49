import { COUNT_MAX } from '../../contracts/limits.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql, toIsoOrNull } from '../../platform/database/sql.ts';
import { readOwned } from '../../platform/ownership.ts';
import { PROGRAM_READINESS } from '../programs/index.ts';
import { timeOfClick } from './click-token.ts';
import type { TrackingStatusView } from './tracking.wire.ts';
import { summaryOf, type TrackingFacts, warningsOf } from './tracking-status.ts';

type StatusRow = Omit<TrackingFacts, 'lastClickAt'> & {
  merchantId: string;
  lastClickId: string | null;
  clicksLast24Hours: number;
  salesLast24Hours: number;
};

const readFacts = (ctx: Context, id: string): Promise<StatusRow | null> => {
  const dayAgo = after(ctx.clock.now(), -DAY_MS).toISOString();
  return firstRow(
    ctx.em,
    sql<StatusRow>`
      select program.merchant_id as "merchantId", program.status, program.website, program.website_domain as "websiteDomain",
        program.stripe_connected_at as "stripeConnectedAt", ${PROGRAM_READINESS.columns},
        (select c.id from click c where c.program_id = program.id order by c.id desc limit 1) as "lastClickId",
        (select s.occurred_at from sale s where s.program_id = program.id order by s.occurred_at desc, s.id desc limit 1) as "lastSaleAt",
        (select count(*)::int from (select from click c where c.program_id = program.id
          and c.id >= first_uuid_at(${dayAgo}::timestamptz) limit ${COUNT_MAX}) as recent) as "clicksLast24Hours",
        (select count(*)::int from (select from sale s where s.program_id = program.id
          and s.occurred_at >= ${dayAgo}::timestamptz limit ${COUNT_MAX}) as recent) as "salesLast24Hours",
        script.seen_at as "scriptSeenAt", script.page as "scriptPage",
        (select set_at from stripe_signing_secret where program_id = program.id) as "stripeSecretSetAt",
        secret.created_at as "eventSecretIssuedAt", secret.last_used_at as "eventSecretLastUsedAt"
      from program
      left join script_sighting script on script.program_id = program.id
      left join lateral (select created_at, last_used_at from program_event_secret where program_id = program.id
        order by created_at desc, id desc limit 1) secret on true
      where program.id = ${id}::uuid`,
  );
};

/** What is set up, what arrives, and what is missing. NOT_FOUND when there is no such program, FORBIDDEN for another merchant's. */
export const getTrackingStatus = async (ctx: Context, programId: string): Promise<TrackingStatusView> => {
  const row = readOwned(ctx, 'Program', await readFacts(ctx, programId));
  const { clicksLast24Hours, salesLast24Hours, ...facts } = row;
  const lastClickAt = row.lastClickId && timeOfClick(row.lastClickId).toISOString();
  const lastSaleAt = toIsoOrNull(row.lastSaleAt);
  const lastScriptSeenAt = toIsoOrNull(row.scriptSeenAt);
  const warnings = warningsOf({ ...facts, lastClickAt });
  return {
    programId,
    status: row.status,
    readiness: PROGRAM_READINESS.of(row),
    stats: { clicksLast24Hours, salesLast24Hours },
    recent: { lastClickAt, lastSaleAt, lastScriptSeenAt },
    health: {
      website: { complete: row.websiteDomain !== null, domain: row.websiteDomain },
      scriptInstalled: { complete: lastScriptSeenAt !== null, lastSeenAt: lastScriptSeenAt, page: row.scriptPage },
      affiliates: { complete: row.hasApprovedAffiliate },
      clicks: { complete: row.hasTrackedClick, lastClickAt },
      paymentSource: {
        complete: row.hasPaymentSource,
        stripeConnectedAt: toIsoOrNull(row.stripeConnectedAt),
        stripeSecretSetAt: toIsoOrNull(row.stripeSecretSetAt),
        eventSecretIssuedAt: toIsoOrNull(row.eventSecretIssuedAt),
        eventSecretLastUsedAt: toIsoOrNull(row.eventSecretLastUsedAt),
      },
      sales: { complete: lastSaleAt !== null, lastSaleAt },
    },
    warnings,
    summary: summaryOf(warnings),
  };
};
