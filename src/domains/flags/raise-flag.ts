import type { FlagType } from '../../contracts/flags.ts';
import { DAY_MS } from '../../platform/clock.ts';
import { type Context, emitInternal, inTransaction } from '../../platform/context.ts';
import { firstRow, type RawBuilder, sql } from '../../platform/database/sql.ts';
import { invariant } from '../../platform/errors.ts';
import { lockBalance, lockBalances } from '../ledger/index.ts';
import { signalEvidence, startFlagWorkflow } from './flag-workflow.ts';

export interface RaiseFlagInput {
  affiliateId: string;
  programId: string;
  merchantId: string;
  type: FlagType;
  /** What was found, as a few plain values without personal data: merchants read it. */
  details: Readonly<Record<string, unknown>>;
  /** Those of other affiliates are left out. */
  conversionIds: readonly string[];
  /** Of the person who raised it. */
  note?: string | undefined;
}

export interface RaisedFlag {
  flagId: string;
  /** False when the evidence was added to the open flag. */
  opened: boolean;
}

interface RaisedRow {
  flagId: string;
  /** Null for a new flag. */
  previousEvidenceAt: string | null;
  isInPayout: boolean;
}

/** The first finding and the newest ones. */
const MAX_EVIDENCE = 20;
/** A note of 1,000 characters, each of which JSON may write as six. */
const MAX_DETAILS_LENGTH = 6_100;

/**
 * Opens the flag of this type, or adds evidence to the open one: its deadline is counted anew. From the commit on, the linked
 * conversions are neither released nor paid. Locks the affiliate's balance, so that no payout takes them meanwhile; lock the
 * membership first where both are needed.
 */
export const raiseFlag = (ctx: Context, input: RaiseFlagInput): Promise<RaisedFlag> =>
  inTransaction(ctx, async (ctx) => {
    await lockBalance(ctx, input.affiliateId);
    const { flagId, opened, ...of } = await addEvidence(ctx, input);
    await announceFlags(ctx, [{ flagId, opened, ...of }]);
    return { flagId, opened };
  });

/** A flag that is opened or extended, and not announced yet. */
export interface StoredFlag extends RaisedFlag {
  merchantId: string;
  programId: string;
}

/**
 * As `raiseFlag`, for several affiliates, without announcing what was opened: end the transaction with `announceFlags`. All
 * balances are locked first, and sales wait for them until the commit: pass few. The merchants follow each other in one order,
 * because a payout that fails writes rows that all of a merchant share.
 */
export const storeFlags = (ctx: Context, inputs: readonly RaiseFlagInput[]): Promise<StoredFlag[]> =>
  inTransaction(ctx, async (ctx) => {
    await lockBalances(
      ctx,
      inputs.map(({ affiliateId }) => affiliateId),
    );
    const stored: StoredFlag[] = [];
    for (const input of inputs.toSorted(byMerchant)) stored.push(await addEvidence(ctx, input));
    return stored;
  });

/**
 * Emits `flag.opened` for those that were opened. It writes rows that all flags of a merchant share, such as the mail that tells
 * of many, so it comes last, in the order of the merchants, too.
 */
export const announceFlags = async (ctx: Context, stored: readonly StoredFlag[]): Promise<void> => {
  for (const { opened, flagId, merchantId, programId } of stored.toSorted(byMerchant)) {
    if (opened) await emitInternal(ctx, { type: 'flag.opened', flagId, merchantId, programId });
  }
};

type OfMerchant = Pick<StoredFlag, 'merchantId'>;
const byMerchant = (a: OfMerchant, b: OfMerchant): number => a.merchantId.localeCompare(b.merchantId);

const addEvidence = async (ctx: Context, input: RaiseFlagInput): Promise<StoredFlag> => {
  invariant(JSON.stringify(input.details).length <= MAX_DETAILS_LENGTH, 'the details of a flag are short');
  const { affiliateId, merchantId, programId } = input;
  const { flagId, previousEvidenceAt, isInPayout } = await storeEvidence(ctx, input);
  const opened = previousEvidenceAt === null;
  if (opened) await startFlagWorkflow(ctx, flagId);
  else await signalEvidence(ctx, flagId, new Date(previousEvidenceAt));
  // A payout that includes one of them and has no attempt yet fails now, not when it is about to be paid.
  if (isInPayout) await ctx.onHold(ctx, affiliateId);
  return { flagId, opened, merchantId, programId };
};

const storeEvidence = async (ctx: Context, input: RaiseFlagInput): Promise<RaisedRow> => {
  const { merchantId, programId, affiliateId, type } = input;
  const at = ctx.clock.now().toISOString();
  const now = sql`${at}::timestamptz`;
  const day = sql`${ctx.settings.scaled(DAY_MS)}::float8 * interval '1 millisecond'`;
  const details = JSON.stringify({ evidenceCount: 1, evidence: [{ at, ...input.details }] });
  const row = await firstRow(
    ctx.em,
    sql<RaisedRow>`with added as materialized (
        select c.id, c.included_in from conversion c
        where c.id = any(${input.conversionIds}::uuid[]) and c.affiliate_id = ${affiliateId}::uuid and not exists (
          select 1 from flag_conversion l join flag o on o.id = l.flag_id
          where l.conversion_id = c.id and o.type = ${type} and o.status = 'open')),
      raised as (
        insert into flag as known (id, merchant_id, program_id, affiliate_id, type, status, details, note, conversion_count,
          created_at, newest_evidence_at, due_at, updated_at)
        select ${ctx.ids.next()}::uuid, m.id, ${programId}::uuid, ${affiliateId}::uuid, ${type}, 'open', ${details}::jsonb,
          ${input.note ?? null}, (select count(*) from added), ${now}, ${now}, 
          ${now} + m.flag_review_days * ${day}, ${now}
        from merchant m where m.id = ${merchantId}::uuid
        on conflict (affiliate_id, type) where status = 'open' do update set
          details = ${mergedDetails}, note = coalesce(excluded.note, known.note),
          conversion_count = known.conversion_count + excluded.conversion_count,
          newest_evidence_at = greatest(known.newest_evidence_at, excluded.newest_evidence_at),
          due_at = greatest(known.due_at, excluded.due_at), deadline_action = null, updated_at = excluded.updated_at
        returning new.id, old.newest_evidence_at as previous),
      links as (insert into flag_conversion (flag_id, conversion_id) select raised.id, added.id from raised, added)
      select id as "flagId", previous as "previousEvidenceAt", exists (select 1 from added where included_in is not null) as "isInPayout" from raised`,
  );
  invariant(row, 'merchants are never deleted');
  return row;
};

/** Keeps the first finding and the newest ones. */
const mergedDetails: RawBuilder<unknown> = sql`jsonb_build_object(
  'evidenceCount', (known.details ->> 'evidenceCount')::int + 1,
  'evidence', case when jsonb_array_length(known.details -> 'evidence') < ${sql.lit(MAX_EVIDENCE)}
    then known.details -> 'evidence' else (known.details -> 'evidence') - 1 end || (excluded.details -> 'evidence'))`;
