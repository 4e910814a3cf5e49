import type { MailPage, MailPeriod } from '../../../contracts/workflows/digests.ts';
import { type Context, inTransaction } from '../../../platform/context.ts';
import { execute, sql } from '../../../platform/database/sql.ts';
import { readActivity } from '../activity.queries.ts';
import { listMerchants } from '../digest-merchants.queries.ts';
import { activityMail } from '../mails/merchant-mails.ts';
import { writeMail } from '../write-mail.ts';

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

/** Until the period is closed. A second call, and one for a closed period, change nothing. */
const keepEnd = async (ctx: Context, { from, to }: MailPeriod): Promise<void> => {
  await execute(
    ctx.em,
    sql`update mail_progress set period_end = ${to}::timestamptz
      where name = 'activity' and done_until = ${from}::timestamptz and period_end is null`,
  );
};
