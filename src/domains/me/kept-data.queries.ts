import type { Context } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';

/** What an erasure leaves in place. */
export interface KeptData {
  what: string;
  /** Null where it is not counted. */
  count: number | null;
  why: string;
}

const countKept = (ctx: Context, profileId: string | null) =>
  firstRow(
    ctx.em,
    db
      // Nobody without a profile.
      .with('member', (cte) => cte.selectFrom('affiliate').select('id').where('profileId', '=', sql<string>`${profileId}::uuid`))
      .selectNoFrom(({ fn, selectFrom }) => {
        const count = fn.countAll<number>().as('count');
        const members = selectFrom('member').select('id');
        return [
          selectFrom('ledger_entry').select(count).where('ownerId', 'in', members).as('entries'),
          selectFrom('conversion').select(count).where('affiliateId', 'in', members).as('conversions'),
          selectFrom('payout').select(count).where('affiliateId', 'in', members).where('details', 'is', null).as('payouts'),
          selectFrom('payout as o')
            .innerJoin('affiliate as a', 'a.id', 'o.affiliateId')
            .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
            .select(count)
            .where('f.erasedAt', 'is not', null)
            .where('o.details', 'is not', null)
            .as('inProgress'),
          selectFrom('referral_code').select(count).where('affiliateId', 'in', members).as('codes'),
          selectFrom('ledger_balance')
            .select(count)
            .where('affiliateId', 'in', members)
            .where(({ eb }) => eb(eb('pending', '+', eb.ref('payable')), '>', 0))
            .as('unpaid'),
        ];
      }),
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
    {
      what: 'customer ids of payment systems that are not the address',
      count: null,
      why: 'later payments and refunds of the customer are recognized by them, and they name nobody without the payment system',
    },
    {
      what: 'notes of merchants, without the address, and without the names where the merchant knows the person',
      count: null,
      why: 'they explain decisions and payments: ask the merchant to check what else they say, such as parts of a name in a note about others',
    },
    { what: 'hashes of sale events', count: null, why: 'a repeated event must not be booked twice' },
    {
      what: 'encrypted responses for idempotency keys',
      count: null,
      why: 'they show keys and secrets, and are deleted after 24 hours',
    },
    {
      what: 'keyed hashes of addresses that were invited, unsubscribed or do not exist',
      count: null,
      why: 'nobody may be written to again against their will',
    },
    {
      what: 'workflow histories',
      count: null,
      why: 'they contain ids, amounts and statuses, and short notes in which addresses and account numbers are masked, but names are not. They expire: see TEMPORAL_RETENTION_DAYS',
    },
    {
      what: 'logs and backups of the database',
      count: null,
      why: 'they are outside of the database: delete them as your policy says',
    },
  ];
  return kept.filter(({ count }) => count !== 0);
};

/** In minor units of the currency. `inPayout`: on its way to where the person wanted it. */
export interface OwedBalance {
  merchantId: string;
  programId: string;
  affiliateId: string;
  currency: string;
  pending: number;
  payable: number;
  inPayout: number;
}

/** The balances of a person's memberships that are not zero. */
export const listOwed = (ctx: Context, profileId: string | null): Promise<OwedBalance[]> =>
  rows(
    ctx.em,
    db
      .selectFrom('affiliate as a')
      .innerJoin('ledger_balance as b', 'b.affiliateId', 'a.id')
      .select(['b.merchantId', 'b.programId', 'b.affiliateId', 'b.currency', 'b.pending', 'b.payable', 'b.inPayout'])
      .where('a.profileId', '=', sql<string>`${profileId}::uuid`)
      .where(({ eb, or }) => or([eb('b.pending', '<>', 0), eb('b.payable', '<>', 0), eb('b.inPayout', '<>', 0)]))
      .orderBy('b.affiliateId'),
  );
