import type { MailPage, MailPeriod } from '../../contracts/workflows/digests.ts';
import { after, HOUR_MS, MINUTE_MS } from '../../platform/clock.ts';
import { type Context, inTransaction } from '../../platform/context.ts';
import { execute, firstRow, toIso } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { readActivity } from './activity.queries.ts';
import { listMerchants } from './digest-merchants.queries.ts';
import { activityMail } from './mails/merchant-mails.ts';
import { writeMail } from './write-mail.steps.ts';

/** After the end of an hour: what was written in it is committed by then. */
const COMMITTED_MS = 5 * MINUTE_MS;

/**
 * Whole hours that are over and that no mail about activity covers: one, or all since the last run when none ran for a while.
 * A period that has mails keeps its end until it is closed. The first call begins with the current hour. Null: there is none yet.
 */
export const findActivityPeriod = async (ctx: Context): Promise<MailPeriod | null> => {
  const now = ctx.clock.now();
  const startOfHour = new Date(Math.floor(after(now, -COMMITTED_MS).getTime() / HOUR_MS) * HOUR_MS);
  const to = startOfHour.toISOString();
  const created = db
    .insertInto('mail_progress')
    .values({ name: 'activity', doneUntil: to })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning(['doneUntil', 'periodEnd']);
  const known = db.selectFrom('mail_progress').select(['doneUntil', 'periodEnd']).where('name', '=', 'activity');
  const done = await firstRow(
    ctx.em,
    db
      .with('created', () => created)
      .selectFrom('created')
      .select(['doneUntil', 'periodEnd'])
      .unionAll(known)
      .limit(1),
  );
  const from = done === null ? to : toIso(done.doneUntil);
  const end = done?.periodEnd ? toIso(done.periodEnd) : to;
  return from < end ? { from, to: end } : null;
};

export interface WriteActivityMailsInput {
  period: MailPeriod;
  after: string | null;
  /** Merchants of this page. */
  limit: number;
}

/**
 * One mail for each merchant of the page about what happened in the period, as their preferences say. A merchant gets one
 * mail per period, also when the page is written again.
 */
export const writeActivityMails = (ctx: Context, { period, after, limit }: WriteActivityMailsInput): Promise<MailPage> =>
  inTransaction(ctx, async (ctx) => {
    const merchants = await listMerchants(ctx, { after, limit });
    const activity = await readActivity(ctx, { merchantIds: merchants.map(({ id }) => id), period });
    let written = 0;
    for (const { id, email, ...merchant } of merchants) {
      const lines = activity.get(id);
      const content = lines && activityMail({ ...merchant, from: new Date(period.from), to: new Date(period.to), lines });
      if (!content) continue;
      const mail = { kind: 'merchant_activity', subjectId: id, merchantId: id, recipient: email, content } as const;
      if (await writeMail(ctx, { ...mail, period: period.from })) written++;
    }
    if (written > 0) await keepEnd(ctx, period);
    return { written, after: merchants.length < limit ? null : (merchants.at(-1)?.id ?? null) };
  });

const activityProgress = db.updateTable('mail_progress').where('name', '=', 'activity');

/** Until the period is closed. A second call, and one for a closed period, change nothing. */
const keepEnd = async (ctx: Context, { from, to }: MailPeriod): Promise<void> => {
  await execute(ctx.em, activityProgress.set({ periodEnd: to }).where('doneUntil', '=', from).where('periodEnd', 'is', null));
};

/** The next mails about activity begin at this time. An earlier time than that of the last call changes nothing. */
export const closeActivityPeriod = async (ctx: Context, { to }: { to: string }): Promise<void> => {
  await execute(ctx.em, activityProgress.set({ doneUntil: to, periodEnd: null }).where('doneUntil', '<', to));
};
