import type { InternalEvent, InternalEventType } from '../../contracts/internal-events.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { findMerchantAddress } from './mail-facts.queries.ts';
import { joinMail, passkeyMail, personInviteMail, signInMail } from './mails/person-mails.ts';
import { writeMail } from './write-mail.ts';

/** To one address. */
const MAX_JOIN_MAILS_PER_DAY = 10;

type Mailed<T extends InternalEventType> = (ctx: Context, event: Extract<InternalEvent, { type: T }>) => Promise<void>;

export const mailPersonInvite: Mailed<'person.invited'> = async (ctx, { inviteId, merchantId, email: recipient, ...invite }) => {
  const merchant = await findMerchantAddress(ctx, merchantId);
  if (!merchant) return;
  const content = personInviteMail({ ...invite, companyName: merchant.companyName });
  await writeMail(ctx, { kind: 'person_invited', subjectId: inviteId, merchantId, recipient, content });
};

export const mailPasskey: Mailed<'person.passkey_changed'> = async (ctx, { passkeyId, email: recipient, ...passkey }) => {
  const content = passkeyMail({ ...passkey, at: ctx.clock.now() });
  const mail = { kind: 'passkey_changed', subjectId: passkeyId, merchantId: null, recipient } as const;
  await writeMail(ctx, { ...mail, period: passkey.change, content });
};

export const mailSignIn: Mailed<'person.sign_in_requested'> = async (ctx, { signInId, email: recipient, ...signIn }) => {
  const content = signInMail(signIn);
  await writeMail(ctx, { kind: 'sign_in', subjectId: signInId, merchantId: null, recipient, content });
};

/** Anybody may enter the address of anybody. */
export const mailJoin: Mailed<'person.join_requested'> = async (ctx, { signInId, merchantId, email: recipient, ...join }) => {
  const content = joinMail(join);
  const atMost = { count: MAX_JOIN_MAILS_PER_DAY, since: after(ctx.clock.now(), -DAY_MS) };
  await writeMail(ctx, { kind: 'join_requested', subjectId: signInId, merchantId, recipient, content, atMost });
};
