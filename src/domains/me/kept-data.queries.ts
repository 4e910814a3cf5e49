import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';

/** What an erasure leaves in place. */
export interface KeptData {
  what: string;
  /** Null where it is not counted. */
  count: number | null;
  why: string;
}

interface Counts {
  entries: number;
  conversions: number;
  payouts: number;
  inProgress: number;
  codes: number;
  unpaid: number;
}

const countKept = async (ctx: Context, profileId: string | null): Promise<Counts | null> =>
  firstRow(
    ctx.em,
    sql<Counts>`with member as (select id from affiliate where profile_id = ${profileId}::uuid)
      select (select count(*)::int from ledger_entry where owner_id in (select id from member)) as entries,
        (select count(*)::int from conversion where affiliate_id in (select id from member)) as conversions,
        (select count(*)::int from payout where affiliate_id in (select id from member) and details is null) as payouts,
        (select count(*)::int from payout o join affiliate a on a.id = o.affiliate_id join affiliate_profile f on f.id = a.profile_id
          where f.erased_at is not null and o.details is not null) as "inProgress",
        (select count(*)::int from referral_code where affiliate_id in (select id from member)) as codes,
        (select count(*)::int from ledger_balance where affiliate_id in (select id from member) and pending + payable > 0) as unpaid`,
  );

/** What is left of a person, and why; of the whole installation where the erasure of another person waits. */
export const findKeptData = async (ctx: Context, profileId: string | null): Promise<KeptData[]> => {
  const counts = await countKept(ctx, profileId);
  const books = 'accounting records, which name nobody';
  const kept: KeptData[] = [
    { what: 'ledger entries', count: counts?.entries ?? 0, why: books },
    { what: 'conversions', count: counts?.conversions ?? 0, why: books },
    { what: 'payouts without their recipient', count: counts?.payouts ?? 0, why: books },
    { what: 'referral codes', count: counts?.codes ?? 0, why: 'a published code must never lead to somebody else' },
    { what: 'memberships with an unpaid balance', count: counts?.unpaid ?? 0, why: 'the merchant still owes it' },
    {
      what: 'recipients of payouts that are in progress or in review, of all erased people',
      count: counts?.inProgress ?? 0,
      why: 'the payment may still be sent: run the command again when they have ended',
    },
    { what: 'hashes of sale events', count: null, why: 'a repeated event must not be booked twice' },
    {
      what: 'encrypted responses for idempotency keys',
      count: null,
      why: 'they show keys and secrets, and are deleted after 24 hours',
    },
    { what: 'workflow histories', count: null, why: 'they contain ids, amounts and statuses only' },
    {
      what: 'logs and backups of the database',
      count: null,
      why: 'they are outside of the database: delete them as your policy says',
    },
  ];
  return kept.filter(({ count }) => count !== 0);
};
