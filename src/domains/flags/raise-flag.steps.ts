import type { FlagType } from '../../contracts/flags.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { type Context, emit, emitInternal, inTransaction } from '../../platform/context.ts';
import { isoOf, type RawBuilder, rows, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { announceHolds, type Hold } from '../conversions/index.ts';
import { lockBalances } from '../ledger/index.ts';
import { Flag } from './flag.entity.ts';
import { signalEvidence, startFlagWorkflows } from './flag-workflow.steps.ts';
import { toFlag } from './flags.wire.ts';

export interface RaiseFlagInput {
  affiliateId: string;
  programId: string;
  merchantId: string;
  type: FlagType;
  /** What was found, as a few plain values without personal data: merchants read it. */
  details: Readonly<Record<string, unknown>>;
  /** Conversions of other affiliates are left out. */
  conversionIds: readonly string[];
  /** Note of the person who raised it. */
  note?: string | undefined;
}

export interface RaisedFlag {
  flagId: string;
  /** False when the evidence was added to the open flag. */
  opened: boolean;
}

/** The first finding and the newest ones. */
const MAX_EVIDENCE = 20;
/** A note of 1,000 characters, each of which JSON may write as six. */
const MAX_DETAILS_LENGTH = 6_100;

/**
 * Opens the flag of this type, or adds evidence to the open one: its deadline is counted anew. From the commit on, the linked
 * conversions are neither approved nor paid. Locks the affiliate's balance, so that no payout takes them meanwhile; lock the
 * membership first where both are needed.
 */
export const raiseFlag = (ctx: Context, input: RaiseFlagInput): Promise<RaisedFlag> =>
  inTransaction(ctx, async (ctx) => {
    const stored = await storeFlags(ctx, [input]);
    await announceFlags(ctx, stored);
    const [raised] = stored;
    invariant(raised, 'a flag was stored');
    return { flagId: raised.flagId, opened: raised.opened };
  });

export type LinkedFlag = Pick<StoredFlag, 'merchantId' | 'flagId' | 'type' | 'createdAt' | 'linkedIds'>;

/** A flag that is opened or extended, and not announced yet. */
export interface StoredFlag extends RaisedFlag {
  merchantId: string;
  programId: string;
  affiliateId: string;
  /** Null for a new flag. */
  previousEvidenceAt: string | null;
  isInPayout: boolean;
  type: FlagType;
  createdAt: string;
  /** Conversions that it holds from now on. */
  linkedIds: string[];
}

/**
 * Like `raiseFlag`, for several flags that differ in affiliate or type, without announcing what was opened: end the transaction
 * with `announceFlags`. All balances are locked first, and sales wait for them until the commit: so the number of statements
 * does not depend on the number of flags. Works in the order of the merchants, because a payout that fails writes rows that all of a
 * merchant share.
 */
export const storeFlags = (ctx: Context, inputs: readonly RaiseFlagInput[]): Promise<StoredFlag[]> =>
  inTransaction(ctx, async (ctx) => {
    if (inputs.length === 0) return [];
    await lockBalances(
      ctx,
      inputs.map(({ affiliateId }) => affiliateId),
    );
    const stored = (await storeEvidence(ctx, inputs)).toSorted(byMerchant);
    const [known, opened] = [stored.filter((flag) => !flag.opened), stored.filter((flag) => flag.opened)];
    if (opened.length > 0) await startFlagWorkflows(ctx, opened);
    if (known.length > 0) await signalEvidence(ctx, known);
    // A payout that includes one of them and has no attempt yet fails now, not when it is about to be paid.
    for (const { isInPayout, affiliateId } of stored) if (isInPayout) await ctx.onHold(ctx, affiliateId);
    return stored;
  });

/**
 * Tells of those of `storeFlags` that were opened, in their order, and of what is held from now on, `linked` included. It writes rows
 * that all flags of a merchant share, such as the mail that tells of many, so it comes last.
 */
export const announceFlags = async (
  ctx: Context,
  stored: readonly StoredFlag[],
  linked: readonly LinkedFlag[] = [],
): Promise<void> => {
  const openedIds = stored.filter(({ opened }) => opened).map(({ flagId }) => flagId);
  const flags = openedIds.length === 0 ? [] : await ctx.em.find(Flag, { id: { $in: openedIds } }, { refresh: true });
  for (const [merchantId, ofMerchant] of Map.groupBy(flags, (flag) => flag.merchantId)) {
    const events = ofMerchant.map((flag) => ({ merchantId, programId: flag.programId, data: toFlag(flag) }));
    await emit(
      ctx,
      events.map((event) => ({ type: 'flag.created', ...event })),
    );
  }
  for (const [merchantId, ofMerchant] of Map.groupBy([...stored, ...linked], (flag) => flag.merchantId)) {
    const holds = new Map<string, Hold>();
    for (const { flagId, type: reason, createdAt: since, linkedIds } of ofMerchant) {
      for (const id of linkedIds) if (!holds.has(id)) holds.set(id, { kind: 'flag', flagId, reason, since });
    }
    await announceHolds(ctx, merchantId, holds);
  }
  for (const { opened, flagId, merchantId, programId } of stored) {
    if (opened) await emitInternal(ctx, { type: 'flag.opened', flagId, merchantId, programId });
  }
};

const byMerchant = (a: StoredFlag, b: StoredFlag): number => a.merchantId.localeCompare(b.merchantId);

/** A template, as its parts change rows. */
const storeEvidence = async (ctx: Context, inputs: readonly RaiseFlagInput[]): Promise<StoredFlag[]> => {
  const at = ctx.clock.now().toISOString();
  const now = sql`${at}::timestamptz`;
  const day = sql`${ctx.settings.scaled(DAY_MS)}::float8 * interval '1 millisecond'`;
  const stored = await rows(
    ctx.em,
    sql<StoredFlag>`with given as materialized (
        select * from jsonb_to_recordset(${JSON.stringify(inputs.map((input) => toRecord(ctx, input, at)))}::jsonb) as given
          (id uuid, "merchantId" uuid, "programId" uuid, "affiliateId" uuid, type text, details jsonb, note text, "conversionIds" uuid[])),
      added as materialized (
        select g.id as given_id, c.id, c.included_in
        from given g cross join lateral (select distinct unnest(g."conversionIds") as id) as named join conversion c on c.id = named.id
        where c.affiliate_id = g."affiliateId" and not exists (
          select 1 from flag_conversion l join flag o on o.id = l.flag_id
          where l.conversion_id = c.id and o.type = g.type and o.status = 'open')),
      raised as (
        insert into flag as known (id, merchant_id, program_id, affiliate_id, type, status, details, note, conversion_count,
          created_at, newest_evidence_at, due_at, updated_at)
        select g.id, m.id, g."programId", g."affiliateId", g.type, 'open', g.details, g.note,
          (select count(*) from added where given_id = g.id), ${now}, ${now}, ${now} + m.flag_review_days * ${day}, ${now}
        from given g join merchant m on m.id = g."merchantId"
        on conflict (affiliate_id, type) where status = 'open' do update set
          details = ${mergedDetails}, note = coalesce(excluded.note, known.note),
          conversion_count = known.conversion_count + excluded.conversion_count,
          newest_evidence_at = greatest(known.newest_evidence_at, excluded.newest_evidence_at),
          due_at = greatest(known.due_at, excluded.due_at), deadline_action = null, updated_at = excluded.updated_at
        returning new.id, new.affiliate_id, new.type, ${isoOf(sql`new.created_at`)} as "createdAt", old.newest_evidence_at as previous),
      found as (select r.id, r.previous, g.id as given_id, g."merchantId", g."programId", g."affiliateId", g.type, r."createdAt"
        from raised r join given g on g."affiliateId" = r.affiliate_id and g.type = r.type),
      links as (insert into flag_conversion (flag_id, conversion_id) select f.id, a.id from found f join added a using (given_id))
      select id as "flagId", previous is null as opened, previous as "previousEvidenceAt", "merchantId", "programId", "affiliateId",
        exists (select 1 from added a where a.given_id = f.given_id and a.included_in is not null) as "isInPayout", f.type, f."createdAt",
        array(select a.id from added a where a.given_id = f.given_id) as "linkedIds" from found f`,
  );
  invariant(stored.length === inputs.length, 'merchants are never deleted');
  return stored;
};

const toRecord = (ctx: Context, { note, details, ...input }: RaiseFlagInput, at: string) => {
  invariant(JSON.stringify(details).length <= MAX_DETAILS_LENGTH, 'the details of a flag are short');
  return { id: ctx.ids.next(), note: note ?? null, details: { evidenceCount: 1, evidence: [{ at, ...details }] }, ...input };
};

/** Keeps the first finding and the newest ones. */
const mergedDetails: RawBuilder<unknown> = sql`jsonb_build_object(
  'evidenceCount', (known.details ->> 'evidenceCount')::int + 1,
  'evidence', case when jsonb_array_length(known.details -> 'evidence') < ${sql.lit(MAX_EVIDENCE)}
    then known.details -> 'evidence' else (known.details -> 'evidence') - 1 end || (excluded.details -> 'evidence'))`;
