import { COUNT_MAX } from '../../contracts/limits.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { firstRow, type RawBuilder, sql, toIsoOrNull } from '../../platform/database/sql.ts';
import { readOwned } from '../../platform/ownership.ts';
import { programReadiness, readinessOf } from '../programs/index.ts';
import { db } from '../tables.ts';
import { timeOfClick } from './click-token.rules.ts';
import type { TrackingStatusView } from './tracking.wire.ts';
import { summaryOf, warningsOf } from './tracking-status.rules.ts';

const recent = (table: 'click' | 'sale', since: RawBuilder<unknown>) =>
  sql<number>`(select count(*) from (select from ${sql.table(table)} r where r.program_id = program.id
    and ${since} limit ${COUNT_MAX}) as recent)`;

const factsOf = compileOnce(({ id, dayAgo }: Given<{ id: string; dayAgo: string }>) =>
  db
    .selectFrom('program')
    .leftJoin('script_load as script', 'script.programId', 'program.id')
    .leftJoinLateral(
      ({ selectFrom }) =>
        selectFrom('program_event_secret as s')
          .select(['s.createdAt', 's.lastUsedAt'])
          .whereRef('s.programId', '=', 'program.id')
          .orderBy('s.createdAt', 'desc')
          .orderBy('s.id', 'desc')
          .limit(sql.lit(1))
          .as('secret'),
      (join) => join.onTrue(),
    )
    .select(['program.merchantId', 'program.status', 'program.website', 'program.websiteDomain', 'program.stripeConnectedAt'])
    .select(['script.seenAt as scriptSeenAt', 'script.page as scriptPage'])
    .select(['secret.createdAt as eventSecretIssuedAt', 'secret.lastUsedAt as eventSecretLastUsedAt'])
    .select(programReadiness)
    .select(({ selectFrom }) => [
      selectFrom('click as c')
        .select('c.id')
        .whereRef('c.programId', '=', 'program.id')
        .orderBy('c.id', 'desc')
        .limit(sql.lit(1))
        .as('lastClickId'),
      selectFrom('sale as s')
        .select('s.occurredAt')
        .whereRef('s.programId', '=', 'program.id')
        .orderBy('s.occurredAt', 'desc')
        .orderBy('s.id', 'desc')
        .limit(sql.lit(1))
        .as('lastSaleAt'),
      selectFrom('stripe_signing_secret as k')
        .select('k.setAt')
        .whereRef('k.programId', '=', 'program.id')
        .as('stripeSecretSetAt'),
      recent('click', sql`r.id >= first_uuid_at(${dayAgo})`).as('clicksLast24Hours'),
      recent('sale', sql`r.occurred_at >= ${dayAgo}`).as('salesLast24Hours'),
    ])
    .where('program.id', '=', id),
);

/** What is set up, what arrives, and what is missing. NOT_FOUND when there is no such program, FORBIDDEN for another merchant's. */
export const getTrackingStatus = async (ctx: Context, programId: string): Promise<TrackingStatusView> => {
  const dayAgo = after(ctx.clock.now(), -DAY_MS).toISOString();
  const row = readOwned(ctx, 'Program', await firstRow(ctx.em, factsOf({ id: programId, dayAgo })));
  const { clicksLast24Hours, salesLast24Hours, ...facts } = row;
  const lastClickAt = row.lastClickId && timeOfClick(row.lastClickId).toISOString();
  const lastSaleAt = toIsoOrNull(row.lastSaleAt);
  const lastScriptSeenAt = toIsoOrNull(row.scriptSeenAt);
  const warnings = warningsOf({ ...facts, lastClickAt });
  return {
    programId,
    status: row.status,
    readiness: readinessOf(row),
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
