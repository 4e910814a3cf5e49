import type { MailPage } from '../../contracts/workflows/digests.ts';
import { after, HOUR_MS } from '../../platform/clock.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { firstRow, rows, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { findWrittenDigests, listWaitingMerchants } from './digest-merchants.queries.ts';
import { lastMorning } from './digest-week.rules.ts';
import { payoutsWaitingMail, type WaitingPayout } from './mails/review-mails.ts';
import { writeMail } from './write-mail.steps.ts';

/** Payouts that are counted; of more, only that there are more is said. */
const MAX_COUNTED = 1_000;
const MAX_NAMED = 20;
/** What began to wait shortly before the morning has a mail of its own, and is in that of the next one. */
const OWN_MAIL_MS = HOUR_MS;

const waitingSince = (merchantId: string, until: Date) =>
  db
    .selectFrom('payout')
    .select(['id', 'amount', 'currency', 'reviewReason', 'attentionSince', 'affiliateId', 'affiliateName', 'programId'])
    .where('merchantId', '=', merchantId)
    .where('needsAttention', '=', sql.lit(true))
    .where('attentionSince', '<=', until.toISOString());

interface Waiting {
  count: number;
  isCapped: boolean;
}

export const countWaitingPayouts = async (ctx: Context, merchantId: string, until: Date): Promise<Waiting> => {
  const found = waitingSince(merchantId, until).limit(MAX_COUNTED + 1);
  const row = await firstRow(
    ctx.em,
    db.selectFrom(found.as('found')).select(({ fn }) => fn.countAll<number>().as('count')),
  );
  const count = row?.count ?? 0;
  return { count: Math.min(count, MAX_COUNTED), isCapped: count > MAX_COUNTED };
};

/** The oldest ones. */
const listWaitingPayouts = async (ctx: Context, merchantId: string, until: Date): Promise<WaitingPayout[]> => {
  const oldest = waitingSince(merchantId, until).orderBy('attentionSince').orderBy('id').limit(MAX_NAMED);
  const found = await rows(
    ctx.em,
    db
      .selectFrom(oldest.as('o'))
      .innerJoin('affiliate as a', 'a.id', 'o.affiliateId')
      .innerJoin('program as p', 'p.id', 'o.programId')
      .select(['o.id as payoutId', 'o.amount', 'o.currency', 'o.reviewReason', 'o.attentionSince as since'])
      .select(['a.code as affiliateCode', 'o.affiliateName', 'p.name as programName'])
      .orderBy('o.attentionSince')
      .orderBy('o.id'),
  );
  return found.map(({ since, ...payout }) => ({ ...payout, since: new Date(since ?? until) }));
};

/** Each morning, for merchants of the page whose payouts wait for a person since the day before: one mail per merchant and date. */
export const writeWaitingPayoutMails = (
  ctx: Context,
  { after: from, limit }: { after: string | null; limit: number },
): Promise<MailPage> =>
  inTransaction(ctx, async (ctx) => {
    const merchants = await listWaitingMerchants(ctx, { after: from, limit });
    const kind = 'payouts_waiting';
    const ids = merchants.map(({ id }) => id);
    const known = merchants.length === 0 ? new Set() : await findWrittenDigests(ctx, kind, ids);
    let written = 0;
    for (const { id, email, companyName, timeZone } of merchants) {
      const morning = lastMorning(ctx.clock.now(), timeZone);
      if (known.has(`${id} ${morning.name}`)) continue;
      const until = after(morning.at, -OWN_MAIL_MS);
      const payouts = await listWaitingPayouts(ctx, id, until);
      if (payouts.length === 0) continue;
      const content = payoutsWaitingMail(companyName, { payouts, ...(await countWaitingPayouts(ctx, id, until)) });
      const mail = { kind, subjectId: id, merchantId: id, recipient: email, period: morning.name, content } as const;
      if (await writeMail(ctx, mail)) written++;
    }
    return { written, after: merchants.length < limit ? null : (merchants.at(-1)?.id ?? null) };
  });
