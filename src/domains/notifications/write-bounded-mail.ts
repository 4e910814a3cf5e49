import { HOUR_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { hasReached, type NewMail, writeMail } from './write-mail.ts';

/** Mails of one kind to one recipient in an hour. One more says that there are others. */
const MAX_PER_HOUR = 20;

const startOfHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS);

/** Writes the mail or, beyond the bound, `others` once for all that follow within the hour. */
export const writeBoundedMail = async (
  ctx: Context,
  mail: Omit<NewMail, 'atMost'>,
  others: Pick<NewMail, 'subjectId' | 'merchantId' | 'content'>,
): Promise<void> => {
  const bound = { count: MAX_PER_HOUR, since: startOfHour(ctx.clock.now()) };
  if (await writeMail(ctx, { ...mail, atMost: bound })) return;
  // It was written before, or the bound is reached.
  const { kind, recipient } = mail;
  if (await hasReached(ctx, mail, bound)) {
    await writeMail(ctx, { ...others, kind, recipient, period: bound.since.toISOString() });
  }
};
