import { TRUST_RECORDS } from '../../../contracts/affiliates.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { FIRST_ID } from '../../../platform/ids.ts';

/** Any number that no other advisory lock of the database has. */
const LOCK = 7_201_998_006;
const BATCH = 500;
/** Per call; the next call starts anew. */
const MAX_BATCHES = 1_000;

/**
 * Raises the trust of affiliates by their record: the days since they joined or lost their trust, and the conversions approved in
 * them. Returns how many were raised. Only one process does it at a time: others return 0. Trust is lowered by confirmed flags.
 * Waits for nobody: an affiliate whose sales are being recorded is raised by a later call.
 */
export const raiseTrust = async (ctx: Context): Promise<number> => {
  let after = FIRST_ID;
  let raised = 0;
  for (let batches = 0; batches < MAX_BATCHES; batches++) {
    const page = await raisePage(ctx, after);
    raised += page.raised;
    if (page.last === null) break;
    after = page.last;
  }
  return raised;
};

interface RaisedPage {
  raised: number;
  /** Null: there are no more. */
  last: string | null;
}

const { trusted, verified } = TRUST_RECORDS;

/** A template: it changes rows in one of its common table expressions, which are materialized. */
const raisePage = (ctx: Context, after: string): Promise<RaisedPage> =>
  inTransaction(ctx, async ({ em, clock }) => {
    const held = await firstRow(em, sql<{ locked: boolean }>`select pg_try_advisory_xact_lock(${LOCK}::bigint) as locked`);
    if (!held?.locked) return { raised: 0, last: null };
    const now = sql`${clock.now().toISOString()}::timestamptz`;
    const page = await rows(
      em,
      sql<{ id: string; raised: boolean }>`with page as materialized (
          select id, trust_tier, coalesce(trust_reset_at, created_at) as since from affiliate
          where trust_tier <> 'verified' and id > ${after}::uuid order by id limit ${BATCH}),
        earned as materialized (
          select p.id, p.trust_tier, p.since, case
            when p.since <= ${now} - ${verified.days} * interval '1 day' and n.approved >= ${verified.conversions} then 'verified'
            when n.approved >= ${trusted.conversions} then 'trusted' else 'new' end as tier
          from page p cross join lateral (select count(*) as approved from (
            select from conversion c where c.affiliate_id = p.id and c.approved_at > p.since
              and c.status in ('approved','partially_refunded') limit ${verified.conversions}) as most) n
          where p.since <= ${now} - ${trusted.days} * interval '1 day'),
        free as materialized (
          select a.id, e.tier from affiliate a join earned e on a.id = e.id
          where a.trust_tier = e.trust_tier and coalesce(a.trust_reset_at, a.created_at) = e.since
            and (e.tier = 'verified' or e.tier = 'trusted' and e.trust_tier = 'new')
          for no key update of a skip locked),
        changed as (
          update affiliate a set trust_tier = f.tier, updated_at = ${now} from free f where a.id = f.id returning a.id)
        select p.id, c.id is not null as raised from page p left join changed c on c.id = p.id order by p.id`,
    );
    const raised = page.filter((row) => row.raised).length;
    return { raised, last: page.length === BATCH ? (page.at(-1)?.id ?? null) : null };
  });
