import { actorName, type Context } from '../../../platform/context.ts';
import { firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { assertSecondActor } from '../../auth/index.ts';
import { isUnapprovedBonus } from '../../conversions/index.ts';
import { db } from '../../tables.ts';
import { destinationHash } from '../create/destination.rules.ts';
import { findItemsMadeByCaller } from '../create/payout-makers.queries.ts';
import { readDetails } from '../create/read-details.steps.ts';
import type { Payout } from '../payout.entity.ts';

/** Whether the caller made what a payout pays, or where. Templates: parts of a larger one. */
const isMadeByCaller = async (ctx: Context, payout: Payout): Promise<boolean> => {
  const { id, merchantId, affiliateId, programId, createdAt: madeAt } = payout;
  const details = readDetails(ctx, payout);
  const hash = payout.destinationHash ?? (details && destinationHash(ctx.cipher, details));
  const made = await findItemsMadeByCaller(ctx, {
    merchantId,
    madeAt,
    of: sql`select ${affiliateId}::uuid as affiliate_id, ${programId}::uuid as program_id, ${hash}::text as destination_hash`,
    isPaid: (conversion) =>
      sql`exists (select from payout_item i where i.payout_id = ${id}::uuid and i.kind = 'commission' and i.subject_id = ${conversion}.id)`,
  });
  return made.size > 0;
};

/**
 * Who had a part in a payout besides its creator: drafted, edited or confirmed its run, added money to it that nobody approved, or, of the
 * caller, made what it pays. Named as by `actorName`.
 */
export const findOtherActors = async (ctx: Context, payout: Payout): Promise<string[]> => {
  const adjusted = await rows(
    ctx.em,
    db
      .selectFrom('payout_item as i')
      .innerJoin('commission_adjustment as d', 'd.id', 'i.subjectId')
      .select('d.createdBy')
      .distinct()
      .where('i.payoutId', '=', payout.id)
      .where('i.kind', '=', sql.lit('adjustment'))
      .where(isUnapprovedBonus),
  );
  const makers = (await isMadeByCaller(ctx, payout)) ? [actorName(ctx.actor)] : [];
  return [
    ...makers,
    ...(await findActorsOfRun(ctx, payout.payoutRunId)),
    ...adjusted.flatMap(({ createdBy }) => createdBy ?? []),
  ];
};

const findActorsOfRun = async (ctx: Context, runId: string | null | undefined): Promise<string[]> => {
  if (!runId) return [];
  const run = await firstRow(
    ctx.em,
    db.selectFrom('payout_run').select(['createdBy', 'editedBy', 'confirmedBy']).where('id', '=', runId),
  );
  return run ? [run.createdBy, ...run.editedBy, ...(run.confirmedBy ? [run.confirmedBy] : [])] : [];
};

/** Throws SAME_ACTOR for whoever must not be the second actor of a payout. */
export const assertMayApprove = async (ctx: Context, payout: Payout): Promise<void> => {
  const { createdBy, createdAt: madeAt, profileId } = payout;
  const others = await findOtherActors(ctx, payout);
  await assertSecondActor(ctx, { createdBy, madeAt, others, profileIds: [profileId] });
};
