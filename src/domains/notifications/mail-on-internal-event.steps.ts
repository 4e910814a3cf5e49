import type { InternalEvent, InternalEventType } from '../../contracts/internal-events.ts';
import type { MailKind } from '../../contracts/mail.ts';
import { actorName, type Context, type InternalEventListener } from '../../platform/context.ts';
import { mailAdjustmentApproval, mailPayoutApproval, mailRuleChange, mailRunApproval } from './mail-approvals.steps.ts';
import { mailChangedDetails, mailRestoredDetails } from './mail-changed-details.steps.ts';
import type { MailContent } from './mail-content.rules.ts';
import {
  findActorName,
  findApplicationFacts,
  findDetailsFacts,
  findEndpointFacts,
  findFlagFacts,
  findMerchantAddress,
  findPayoutFacts,
  findResourceFacts,
  listAffiliateAddresses,
} from './mail-facts.queries.ts';
import { mailHeldAccount } from './mail-held-account.steps.ts';
import { mailInvite } from './mail-invite.steps.ts';
import { mailPayee } from './mail-payee.steps.ts';
import {
  mailJoin,
  mailNewApprover,
  mailPasskey,
  mailPersonInvite,
  mailReplacement,
  mailReplacementDone,
  mailSignIn,
  mailSignUp,
} from './mail-people.steps.ts';
import { mailDifferences, mailPaymentsHeld } from './mail-reconciliation.steps.ts';
import { mailSaleProblem } from './mail-sale-problem.steps.ts';
import { mailScheduledRun } from './mail-scheduled-run.steps.ts';
import { applicationDecidedMail, applicationReminderMail, applicationWaitingMail } from './mails/application-mails.ts';
import { changeMail, manyChangesMail } from './mails/change-mails.ts';
import { flagDeadlineMail, flagOpenedMail, flagReminderMail } from './mails/flag-mails.ts';
import { manyWaitingMail, thresholdChangedMail } from './mails/merchant-mails.ts';
import { detailsRejectedMail } from './mails/payout-mails.ts';
import { resourceAnnouncedMail } from './mails/resource-mails.ts';
import { manyPayoutsWaitMail, payoutReminderMail } from './mails/review-mails.ts';
import {
  type EndpointMail,
  endpointCreatedMail,
  endpointDisabledMail,
  endpointFailingMail,
  endpointMovedMail,
  endpointRecoveredMail,
  manyEndpointsMail,
} from './mails/webhook-mails.ts';
import { writeBoundedMail, writeMail } from './write-mail.steps.ts';

interface MerchantMail {
  kind: Extract<MailKind, `application_${string}` | `flag_${string}`>;
  subjectId: string;
  merchantId: string;
  recipient: string;
  period?: string;
  content: MailContent;
}

const tellMerchant = (ctx: Context, mail: MerchantMail): Promise<void> => {
  const { kind, merchantId } = mail;
  const content = manyWaitingMail(kind.startsWith('flag') ? 'flags' : 'applications');
  return writeBoundedMail(ctx, mail, { subjectId: merchantId, merchantId, content });
};

type Handlers = { [T in InternalEventType]: (ctx: Context, event: Extract<InternalEvent, { type: T }>) => Promise<void> };

const onApplication =
  (kind: 'application_waiting' | 'application_reminder') =>
  async (ctx: Context, event: { applicationId: string; merchantId: string; n?: number }): Promise<void> => {
    const application = await findApplicationFacts(ctx, event.applicationId);
    if (application?.status !== 'pending') return;
    // Nobody can approve it: an archived program takes no affiliates.
    if (kind === 'application_reminder' && application.programStatus === 'archived') return;
    await tellMerchant(ctx, {
      kind,
      subjectId: event.applicationId,
      merchantId: event.merchantId,
      recipient: application.merchantEmail,
      ...(event.n === undefined ? {} : { period: String(event.n) }),
      content: kind === 'application_waiting' ? applicationWaitingMail(application) : applicationReminderMail(application),
    });
  };

const FLAG_MAILS = { flag_opened: flagOpenedMail, flag_reminder: flagReminderMail, flag_deadline: flagDeadlineMail } as const;

const onFlag =
  (kind: keyof typeof FLAG_MAILS) =>
  async (ctx: Context, event: { flagId: string; merchantId: string; n?: number }): Promise<void> => {
    const flag = await findFlagFacts(ctx, event.flagId);
    if (!flag) return;
    await tellMerchant(ctx, {
      kind,
      subjectId: event.flagId,
      merchantId: event.merchantId,
      recipient: flag.merchantEmail,
      ...(event.n === undefined ? {} : { period: String(event.n) }),
      content: FLAG_MAILS[kind](flag),
    });
  };

const tellOfEndpoint = async (
  ctx: Context,
  of: { kind: Extract<MailKind, `webhook_${string}`>; endpointId: string; merchantId: string; period: string },
  contentOf: (endpoint: EndpointMail) => MailContent,
): Promise<void> => {
  const { kind, endpointId, merchantId, period } = of;
  const facts = await findEndpointFacts(ctx, endpointId);
  if (!facts) return;
  const { merchantEmail: recipient, ...endpoint } = facts;
  const content = contentOf({ endpointId, ...endpoint });
  const mail = { kind, subjectId: endpointId, merchantId, recipient, period, content };
  await writeBoundedMail(ctx, mail, { subjectId: merchantId, merchantId, content: manyEndpointsMail(kind) });
};

const HANDLERS: Handlers = {
  async 'account.changed'(ctx, { changeId, merchantId, ...change }) {
    const merchant = await findMerchantAddress(ctx, merchantId);
    if (!merchant) return;
    const actor = await findActorName(ctx, actorName(ctx.actor));
    const content = changeMail({ ...change, actor, at: ctx.clock.now() });
    const mail = { kind: 'account_changed', subjectId: changeId, merchantId, recipient: merchant.email, content } as const;
    await writeBoundedMail(ctx, mail, { subjectId: merchantId, merchantId, content: manyChangesMail() });
  },

  'application.submitted': onApplication('application_waiting'),
  'application.reminder': onApplication('application_reminder'),
  'flag.opened': onFlag('flag_opened'),
  'flag.reminder': onFlag('flag_reminder'),
  'flag.deadline': onFlag('flag_deadline'),

  async 'application.decided'(ctx, { applicationId, merchantId }) {
    const application = await findApplicationFacts(ctx, applicationId);
    const content = application && applicationDecidedMail(application);
    if (!content) return;
    const recipient = application.applicantEmail;
    // An application that was declined may be approved later, by adding its affiliate.
    const period = application.status;
    await writeMail(ctx, { kind: 'application_decided', subjectId: applicationId, merchantId, recipient, period, content });
  },

  async 'payout.reminder'(ctx, { payoutId, merchantId, n }) {
    const facts = await findPayoutFacts(ctx, payoutId);
    if (!facts) return;
    const { merchantEmail: recipient, ...payout } = facts;
    const kind = 'payout_reminder';
    const mail = {
      kind,
      subjectId: payoutId,
      merchantId,
      recipient,
      period: String(n),
      content: payoutReminderMail(payout),
    } as const;
    await writeBoundedMail(ctx, mail, { subjectId: merchantId, merchantId, content: manyPayoutsWaitMail(kind) });
  },

  'payout.claim_needed': mailPayee,

  /** Its owner hears of it once it changes where they are paid. */
  async 'payee_account.changed'() {},

  'payout.details_changed': mailChangedDetails,
  'payout.details_restored': mailRestoredDetails,

  /** Once for the details as they are: each confirmation lets payouts be tried again. */
  async 'payout.details_rejected'(ctx, { profileId, affiliateId, method, railReason, detailsSince }) {
    const facts = await findDetailsFacts(ctx, { profileId, affiliateId });
    if (!facts) return;
    const { email, companyName, merchantId } = facts;
    await writeMail(ctx, {
      kind: 'payout_details_rejected',
      subjectId: profileId,
      merchantId,
      recipient: email,
      period: `${affiliateId ?? ''} ${method} ${detailsSince ?? ''}`,
      content: detailsRejectedMail({ method, companyName, railReason }),
    });
  },

  'payout_run.scheduled': mailScheduledRun,
  'sale_problem.stored': mailSaleProblem,
  'reconciliation.differences_found': mailDifferences,
  'payments.held': mailPaymentsHeld,
  'rail_account.held': mailHeldAccount,

  async 'payout.approval_threshold_changed'(ctx, { merchantId, changeId, oldThreshold, newThreshold }) {
    const merchant = await findMerchantAddress(ctx, merchantId);
    if (!merchant) return;
    await writeMail(ctx, {
      kind: 'approval_threshold_changed',
      subjectId: merchantId,
      merchantId,
      recipient: merchant.email,
      period: changeId,
      content: thresholdChangedMail({ companyName: merchant.companyName, oldThreshold, newThreshold, at: ctx.clock.now() }),
    });
  },

  async 'resource.announced'(ctx, { resourceId, notificationId, merchantId, affiliateIds }) {
    const resource = await findResourceFacts(ctx, resourceId);
    if (!resource) return;
    const { programId, ...facts } = resource;
    const mail = { kind: 'resource_announced', subjectId: resourceId, merchantId, programId, period: notificationId } as const;
    const content = resourceAnnouncedMail(facts);
    for (const recipient of await listAffiliateAddresses(ctx, affiliateIds))
      await writeMail(ctx, { ...mail, recipient, content });
  },

  'invite.mailed': mailInvite,
  'payout.approval_requested': mailPayoutApproval,
  'payout_run.approval_requested': mailRunApproval,
  'adjustment.approval_requested': mailAdjustmentApproval,
  'merchant.change_requested': mailRuleChange,

  'person.invited': mailPersonInvite,
  'person.approver_added': mailNewApprover,
  'person.passkey_changed': mailPasskey,
  'person.passkey_replacement_requested': mailReplacement,
  'person.passkeys_replaced': mailReplacementDone,
  'person.sign_in_requested': mailSignIn,
  'person.join_requested': mailJoin,
  'person.sign_up_requested': mailSignUp,

  'webhook_endpoint.created'(ctx, { endpointId, merchantId, createdAt }) {
    const of = { kind: 'webhook_created', endpointId, merchantId, period: '' } as const;
    return tellOfEndpoint(ctx, of, (endpoint) => endpointCreatedMail({ ...endpoint, createdAt }));
  },

  'webhook_endpoint.origin_changed'(ctx, { endpointId, merchantId, changeId, ...facts }) {
    const of = { kind: 'webhook_origin_changed', endpointId, merchantId, period: changeId } as const;
    return tellOfEndpoint(ctx, of, (endpoint) => endpointMovedMail({ ...endpoint, ...facts }));
  },

  'webhook_endpoint.failing'(ctx, { endpointId, merchantId, warning, ...facts }) {
    const of = {
      kind: 'webhook_failing',
      endpointId,
      merchantId,
      period: `${facts.failingSince.toISOString()} ${warning}`,
    } as const;
    return tellOfEndpoint(ctx, of, (endpoint) => endpointFailingMail({ ...endpoint, ...facts, at: ctx.clock.now() }));
  },

  'webhook_endpoint.disabled'(ctx, { endpointId, merchantId, ...facts }) {
    const of = { kind: 'webhook_disabled', endpointId, merchantId, period: facts.disabledAt.toISOString() } as const;
    return tellOfEndpoint(ctx, of, (endpoint) => endpointDisabledMail({ ...endpoint, ...facts }));
  },

  'webhook_endpoint.recovered'(ctx, { endpointId, merchantId, ...facts }) {
    const of = { kind: 'webhook_recovered', endpointId, merchantId, period: facts.recoveredAt.toISOString() } as const;
    return tellOfEndpoint(ctx, of, (endpoint) => endpointRecoveredMail({ ...endpoint, ...facts }));
  },
};

/** Writes the mails of events that are not published. */
export const mailOnInternalEvent: InternalEventListener = (ctx, event) => {
  const handle = HANDLERS[event.type] as (ctx: Context, event: InternalEvent) => Promise<void>;
  return handle(ctx, event);
};
