import type { InternalEvent, InternalEventType } from '../../contracts/internal-events.ts';
import { after, DAY_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { assertInviteMailLeft, assertJoinMailLeft } from './join-mails.steps.ts';
import { findMerchantAddress } from './mail-facts.queries.ts';
import { listPeopleWith } from './mail-recipients.queries.ts';
import {
  joinMail,
  newApproverMail,
  passkeyMail,
  personInviteMail,
  replacementDoneMail,
  replacementMail,
  signInMail,
  signUpMail,
} from './mails/person-mails.ts';
import { MAILS_OF_STRANGERS } from './opt-outs.steps.ts';
import { writeMail } from './write-mail.steps.ts';

/** Invites to one mailbox, no matter who entered its address. */
const MAX_INVITES_PER_DAY = 10;
/** More than one address can cause (SIGN_INS_OF_ADDRESS_AND_MAILBOX_PER_DAY): some stay for whoever has the mailbox. */
const MAX_JOININGS_PER_DAY = 30;

/** Limits what strangers cause by entering the address of a person who does not want it. */
const byStranger = ({ clock }: Context, count: number) =>
  ({
    topic: MAILS_OF_STRANGERS,
    isOfMailbox: true,
    atMost: { count, since: after(clock.now(), -DAY_MS) },
  }) as const;

type Mailed<T extends InternalEventType> = (ctx: Context, event: Extract<InternalEvent, { type: T }>) => Promise<void>;

export const mailPersonInvite: Mailed<'person.invited'> = async (ctx, { inviteId, merchantId, email: recipient, ...invite }) => {
  const merchant = await findMerchantAddress(ctx, merchantId);
  if (!merchant) return;
  await assertInviteMailLeft(ctx, merchantId);
  const content = personInviteMail({ ...invite, companyName: merchant.companyName });
  const mail = { kind: 'person_invited', subjectId: inviteId, merchantId, recipient, content } as const;
  await writeMail(ctx, { ...mail, ...byStranger(ctx, MAX_INVITES_PER_DAY) });
};

/** Mails the account and all owners except the new one, so that an owner who invites a mailbox of their own is noticed. */
export const mailNewApprover: Mailed<'person.approver_added'> = async (ctx, { roleId: subjectId, merchantId, ...person }) => {
  const merchant = await findMerchantAddress(ctx, merchantId);
  if (!merchant) return;
  const owners = await listPeopleWith(ctx, { merchantId, scope: 'merchant:manage' });
  const recipients = new Set([merchant.email, ...owners.filter((email) => email !== person.email)]);
  const content = newApproverMail(person);
  const period = person.approvesFrom.toISOString();
  for (const recipient of recipients)
    await writeMail(ctx, { kind: 'account_changed', subjectId, merchantId, recipient, period, content });
};

export const mailPasskey: Mailed<'person.passkey_changed'> = async (ctx, { passkeyId, email: recipient, ...passkey }) => {
  const content = passkeyMail({ ...passkey, at: ctx.clock.now() });
  const mail = { kind: 'passkey_changed', subjectId: passkeyId, merchantId: null, recipient } as const;
  await writeMail(ctx, { ...mail, period: passkey.change, content });
};

export const mailReplacement: Mailed<'person.passkey_replacement_requested'> = async (ctx, event) => {
  const { replacementId, merchantId, email: recipient, ...replacement } = event;
  const companyName = (merchantId === null ? null : await findMerchantAddress(ctx, merchantId))?.companyName ?? null;
  const content = replacementMail({ ...replacement, companyName });
  await writeMail(ctx, { kind: 'passkey_replacement', subjectId: replacementId, merchantId, recipient, content });
};

export const mailReplacementDone: Mailed<'person.passkeys_replaced'> = async (ctx, { replacementId, email: recipient }) => {
  const content = replacementDoneMail({ at: ctx.clock.now() });
  const mail = { kind: 'passkey_replacement', subjectId: replacementId, merchantId: null, recipient } as const;
  await writeMail(ctx, { ...mail, period: 'done', content });
};

export const mailSignIn: Mailed<'person.sign_in_requested'> = async (ctx, { signInId, email: recipient, ...signIn }) => {
  const content = signInMail(signIn);
  await writeMail(ctx, { kind: 'sign_in', subjectId: signInId, merchantId: null, recipient, content });
};

/** Anybody may enter the address of anybody. */
export const mailJoin: Mailed<'person.join_requested'> = async (ctx, { signInId, merchantId, email: recipient, ...join }) => {
  await assertJoinMailLeft(ctx, { kind: 'join_requested', merchantId });
  const content = joinMail(join);
  const mail = { kind: 'join_requested', subjectId: signInId, merchantId, recipient, content } as const;
  await writeMail(ctx, { ...mail, ...byStranger(ctx, MAX_JOININGS_PER_DAY) });
};

/** As above. */
export const mailSignUp: Mailed<'person.sign_up_requested'> = async (ctx, { signInId, email: recipient, ...signUp }) => {
  await assertJoinMailLeft(ctx, { kind: 'sign_up_requested', merchantId: null });
  const mail = { kind: 'sign_up_requested', subjectId: signInId, merchantId: null, recipient } as const;
  await writeMail(ctx, { ...mail, content: signUpMail(signUp), ...byStranger(ctx, MAX_JOININGS_PER_DAY) });
};
