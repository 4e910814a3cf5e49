import { toDecimal } from '../../contracts/currencies.ts';
import type { Account, TransferKind } from '../../contracts/ledger.ts';
import type { Rail } from '../../contracts/rails.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given, givenOf } from '../../platform/database/compiled.ts';
import { rows, sql } from '../../platform/database/sql.ts';
import { type CsvSource, type CsvUrl, createCsvUrl, csvDownload } from '../../platform/http/csv-download.ts';
import { db } from '../tables.ts';
import { type JournalFilter, journalQuery } from './books.wire.ts';

interface Journal extends JournalFilter {
  merchantId: string;
}

interface Place {
  afterDay?: string | undefined;
  afterId?: number | undefined;
}

interface JournalRow {
  id: number;
  bookedOn: string;
  account: Account;
  counterAccount: Account;
  kind: TransferKind;
  referenceId: string;
  affiliateId: string | null;
  currency: string;
  amount: number;
  programId: string;
  transactionId: string;
  rail: Rail | null;
}

const BATCH_SIZE = 500;

const entriesOf = ({ merchantId, from, to }: Given<Journal>) => {
  let query = db.selectFrom('ledger_entry as e').where('e.merchantId', '=', merchantId);
  if (from) query = query.where('e.bookedOn', '>=', from);
  if (to) query = query.where('e.bookedOn', '<=', to);
  return query;
};

/** Each with the other side of its transfer, in the order of booking. Only columns that never change. */
const batch = compileOnce(({ afterDay, afterId, ...journal }: Given<Journal & Place>) => {
  const query = entriesOf(journal)
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('ledger_entry as o')
          .select(['o.account', 'o.ownerId'])
          .whereRef('o.transactionId', '=', 'e.transactionId')
          .where(sql<boolean>`sign(o.amount) <> sign(e.amount)`)
          .orderBy('o.id')
          .limit(sql.lit(1))
          .as('c'),
      (join) => join.onTrue(),
    )
    .select([
      'e.id',
      'e.bookedOn',
      'e.account',
      'c.account as counterAccount',
      'e.kind',
      'e.referenceId',
      'e.currency',
      'e.amount',
    ])
    .select(['e.programId', 'e.transactionId', 'e.rail'])
    .select(
      // Accounts that belong to no affiliate have the program as owner.
      sql<
        string | null
      >`case when e.owner_id <> e.program_id then e.owner_id when c.owner_id <> e.program_id then c.owner_id end`.as(
        'affiliateId',
      ),
    )
    .orderBy('e.bookedOn')
    .orderBy('e.id')
    .limit(sql.lit(BATCH_SIZE));
  return afterDay && afterId ? query.where(sql<boolean>`(e.booked_on, e.id) > (${afterDay}::date, ${afterId}::bigint)`) : query;
});

const journalOf = (ctx: Context, journal: Journal): CsvSource<JournalRow> => ({
  async *batches() {
    for (let place: Place = {}; ; ) {
      const found = await rows(ctx.em, batch({ ...journal, ...place }));
      yield found;
      const last = found.at(-1);
      if (!last || found.length < BATCH_SIZE) return;
      place = { afterDay: last.bookedOn, afterId: last.id };
    }
  },
  async exceeds(max) {
    const beyondMax = entriesOf(givenOf(journal)).select('e.id').limit(sql.lit(1)).offset(sql.lit(max));
    return (await rows(ctx.em, beyondMax)).length > 0;
  },
});

/** Signed amounts: the lines of a month add up to the change of each account. */
export const journalCsv = csvDownload({
  name: 'journal',
  scope: 'payouts:read',
  filter: journalQuery,
  columns: {
    date: ({ bookedOn }: JournalRow) => bookedOn,
    account: ({ account }) => account,
    counterAccount: ({ counterAccount }) => counterAccount,
    kind: ({ kind }) => kind,
    subject: ({ referenceId }) => referenceId,
    affiliate: ({ affiliateId }) => affiliateId,
    currency: ({ currency }) => currency.toUpperCase(),
    amount: ({ amount, currency }) => ({ decimal: toDecimal(amount, currency) }),
    program: ({ programId }) => programId,
    transaction: ({ transactionId }) => transactionId,
    rail: ({ rail }) => rail,
  },
  source: journalOf,
});

/** A URL of the file. EXPORT_TOO_LARGE when it would not be whole. */
export const exportLedger = (ctx: Context, filter: JournalFilter): Promise<CsvUrl> => createCsvUrl(ctx, journalCsv, filter);
