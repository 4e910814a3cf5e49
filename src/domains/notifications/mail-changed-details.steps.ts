import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import { findDetailsFacts } from './mail-facts.queries.ts';
import {
  detailsChangedMail,
  detailsRestoredMail,
  manyDetailsChangesMail,
  newAddressMail,
  oldAddressMail,
} from './mails/details-mails.ts';
import { recipientDigest } from './recipient-digest.steps.ts';
import { findMailAllowance } from './subscriptions.steps.ts';
import { startOfHour, writeMail } from './write-mail.steps.ts';

const KIND = 'payout_details_changed';
/** Mails about the changes of the person, or of one merchant, in a day. After them, one an hour says that there are more. */
const MAX_PER_DAY = 10;

interface ChangedDetails {
  profileId: string;
  affiliateId: string | null;
  changeId: string;
  oldAddress: string | null;
  newAddress: string | null;
  undo: { url: string; until: Date } | null;
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

/**
 * To the person, and to the PayPal addresses before and after a change that waits: whoever took over an account cannot hide it. Only the
 * person gets the link that brings the previous details back.
 */
export const mailChangedDetails = async (ctx: Context, change: ChangedDetails): Promise<void> => {
  const { profileId, affiliateId, changeId, undo } = change;
  const facts = await findDetailsFacts(ctx, { profileId, affiliateId });
  if (!facts) return;
  const { email: recipient, method, companyName, merchantId, programId } = facts;
  const at = ctx.clock.now();
  const since = after(at, -DAY_MS);
  const mail = { kind: KIND, subjectId: profileId, merchantId, recipient } as const;
  if (await isUsedUp(ctx, { profileId, recipient, merchantId, since })) {
    const period = `${merchantId ?? 'own'} ${startOfHour(at).toISOString()}`;
    await writeMail(ctx, { ...mail, period, content: manyDetailsChangesMail({ at, companyName, undo }) });
    return;
  }
  await writeMail(ctx, { ...mail, period: changeId, content: detailsChangedMail({ at, method, companyName, undo }) });
  const content = detailsChangedMail({ at, method, companyName, undo: null });
  const [oldAddress, newAddress] = [change.oldAddress, change.newAddress].map((address) => address?.trim().toLowerCase() ?? null);
  const others = { ...mail, period: changeId, isOfMailbox: true, atMost: { count: MAX_PER_DAY, since } };
  if (oldAddress && oldAddress !== recipient.toLowerCase()) {
    const before = { ...others, recipient: oldAddress };
    if (merchantId === null || programId === null) await writeMail(ctx, { ...before, content });
    // A merchant may enter the address of anybody.
    else if ((await findMailAllowance(ctx, merchantId)) > 0)
      await writeMail(ctx, { ...before, programId, content: oldAddressMail(content) });
  }
  if (undo && newAddress && newAddress !== recipient.toLowerCase() && newAddress !== oldAddress)
    await writeMail(ctx, { ...others, recipient: newAddress, content: newAddressMail({ at }) });
};

/** To the person. */
export const mailRestoredDetails = async (
  ctx: Context,
  { profileId, changeId }: { profileId: string; changeId: string },
): Promise<void> => {
  const facts = await findDetailsFacts(ctx, { profileId, affiliateId: null });
  if (!facts) return;
  const content = detailsRestoredMail({ at: ctx.clock.now() });
  await writeMail(ctx, { kind: KIND, subjectId: profileId, merchantId: null, recipient: facts.email, period: changeId, content });
};
