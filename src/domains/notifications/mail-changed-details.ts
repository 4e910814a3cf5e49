import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { findDetailsFacts } from './mail-facts.queries.ts';
import { detailsChangedMail, manyDetailsChangesMail, oldAddressMail } from './mails/details-mails.ts';
import { recipientDigest } from './recipient-digest.ts';
import { findMailAllowance } from './subscriptions.ts';
import { startOfHour, writeMail } from './write-mail.ts';

const KIND = 'payout_details_changed';
/** Mails about the changes of the person, or of one merchant, in a day. After them, one an hour says that there are more. */
const MAX_PER_DAY = 10;

interface ChangedDetails {
  profileId: string;
  affiliateId: string | null;
  changeId: string;
  oldAddress: string | null;
}

/** Whether the person has as many mails about changes of the same origin as a day allows. One merchant uses up nobody else's. */
const isUsedUp = async (
  ctx: Context,
  of: { profileId: string; recipient: string; merchantId: string | null; since: Date },
): Promise<boolean> => {
  const recent = db
    .selectFrom('mail')
    .select('id')
    .where('recipientDigest', '=', recipientDigest(ctx, of.recipient))
    .where('kind', '=', KIND)
    .where('createdAt', '>=', of.since.toISOString())
    .where('subjectId', '=', of.profileId)
    .where(sql<boolean>`merchant_id is not distinct from ${of.merchantId}::uuid`)
    .limit(MAX_PER_DAY);
  const row = await firstRow(
    ctx.em,
    db.selectFrom(recent.as('found')).select(({ fn }) => fn.countAll<number>().as('count')),
  );
  return (row?.count ?? 0) >= MAX_PER_DAY;
};

/** To the person, and to the PayPal address before the change: whoever took over an account cannot hide it. */
export const mailChangedDetails = async (ctx: Context, change: ChangedDetails): Promise<void> => {
  const { profileId, affiliateId, changeId } = change;
  const facts = await findDetailsFacts(ctx, { profileId, affiliateId });
  if (!facts) return;
  const { email: recipient, method, companyName, merchantId, programId } = facts;
  const at = ctx.clock.now();
  const since = after(at, -DAY_MS);
  const mail = { kind: KIND, subjectId: profileId, merchantId, recipient } as const;
  if (await isUsedUp(ctx, { profileId, recipient, merchantId, since })) {
    const period = `${merchantId ?? 'own'} ${startOfHour(at).toISOString()}`;
    await writeMail(ctx, { ...mail, period, content: manyDetailsChangesMail({ at, companyName }) });
    return;
  }
  const content = detailsChangedMail({ at, method, companyName });
  await writeMail(ctx, { ...mail, period: changeId, content });
  const oldAddress = change.oldAddress?.trim().toLowerCase() ?? recipient;
  if (oldAddress === recipient.toLowerCase()) return;
  const before = { ...mail, recipient: oldAddress, period: changeId, atMost: { count: MAX_PER_DAY, since } };
  if (merchantId === null || programId === null) await writeMail(ctx, { ...before, content });
  // A merchant may enter the address of anybody.
  else if ((await findMailAllowance(ctx, merchantId)) > 0)
    await writeMail(ctx, { ...before, programId, content: oldAddressMail(content) });
};
