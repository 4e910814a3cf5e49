import type { DigestActivities, MailPage } from '../src/contracts/workflows/digests.ts';
import {
  closeActivityPeriod,
  findActivityPeriod,
  writeActivityMails,
  writeWaitingPayoutMails,
  writeWeeklyDigests,
} from '../src/domains/notifications/index.ts';
import { SECOND_MS } from '../src/platform/clock.ts';
import type { Context } from '../src/platform/context.ts';
import { faultPoint } from '../src/platform/fault-points.ts';
import { translated } from './support/failures.ts';

/** Merchants of one transaction. */
const PAGE = 50;
const TIME_BUDGET_MS = 5 * SECOND_MS;

type WritePage = (ctx: Context, page: { after: string | null; limit: number }) => Promise<MailPage>;

/** Page after page until the time is over. Each is a transaction: a repeated one finds what it wrote. */
const writePages = async (context: () => Context, from: string | null, write: WritePage): Promise<MailPage> => {
  const endsAt = performance.now() + TIME_BUDGET_MS;
  const total: MailPage = { written: 0, after: from };
  do {
    const page = await write(context(), { after: total.after, limit: PAGE });
    total.written += page.written;
    total.after = page.after;
    if (page.written > 0) faultPoint('digest:after-page');
  } while (total.after !== null && performance.now() < endsAt);
  return total;
};

export const digestActivities = (context: () => Context): DigestActivities =>
  translated(() => context().log, {
    findActivityPeriod: () => findActivityPeriod(context()),
    writeActivityMails: ({ period, after }) =>
      writePages(context, after, (ctx, page) => writeActivityMails(ctx, { ...page, period })),
    closeActivityPeriod: ({ to }) => closeActivityPeriod(context(), { to }),
    writeWeeklyDigests: ({ after }) => writePages(context, after, writeWeeklyDigests),
    writeWaitingPayoutMails: ({ after }) => writePages(context, after, writeWaitingPayoutMails),
  } satisfies DigestActivities);
