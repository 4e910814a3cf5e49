import { type MailContent, type StoredMail, withUrls } from '../../src/domains/notifications/mail-content.rules.ts';
import { heldAccountMail } from '../../src/domains/notifications/mail-held-account.steps.ts';
import { scheduledRunMail } from '../../src/domains/notifications/mail-scheduled-run.steps.ts';
import { adjustmentApprovalMail, manyAdjustmentsWaitMail } from '../../src/domains/notifications/mails/adjustment-mails.ts';
import {
  applicationDecidedMail,
  applicationReminderMail,
  applicationWaitingMail,
} from '../../src/domains/notifications/mails/application-mails.ts';
import { changeMail, manyChangesMail } from '../../src/domains/notifications/mails/change-mails.ts';
import {
  detailsChangedMail,
  detailsRestoredMail,
  manyDetailsChangesMail,
  newAddressMail,
  oldAddressMail,
} from '../../src/domains/notifications/mails/details-mails.ts';
import { flagDeadlineMail, flagOpenedMail, flagReminderMail } from '../../src/domains/notifications/mails/flag-mails.ts';
import { programInviteMail } from '../../src/domains/notifications/mails/invite-mails.ts';
import {
  type ActivityLine,
  activityMail,
  manyWaitingMail,
  ruleChangeMail,
  thresholdChangedMail,
  weeklyDigestMail,
} from '../../src/domains/notifications/mails/merchant-mails.ts';
import {
  detailsRejectedMail,
  manyPayoutsMail,
  payoutCompletedMail,
  payoutFailedMail,
  payoutToClaimMail,
} from '../../src/domains/notifications/mails/payout-mails.ts';
import {
  joinMail,
  newApproverMail,
  passkeyMail,
  personInviteMail,
  replacementDoneMail,
  replacementMail,
  signInMail,
  signUpMail,
} from '../../src/domains/notifications/mails/person-mails.ts';
import { differencesMail, paymentsHeldMail } from '../../src/domains/notifications/mails/reconciliation-mails.ts';
import { resourceAnnouncedMail } from '../../src/domains/notifications/mails/resource-mails.ts';
import {
  manyPayoutsWaitMail,
  payoutApprovalMail,
  payoutAttentionMail,
  payoutReminderMail,
  payoutsWaitingMail,
} from '../../src/domains/notifications/mails/review-mails.ts';
import { manyRunsWaitMail, runApprovalMail } from '../../src/domains/notifications/mails/run-mails.ts';
import { saleProblemMail } from '../../src/domains/notifications/mails/sale-mails.ts';
import {
  endpointCreatedMail,
  endpointDisabledMail,
  endpointFailingMail,
  endpointMovedMail,
  endpointRecoveredMail,
  manyEndpointsMail,
} from '../../src/domains/notifications/mails/webhook-mails.ts';

const ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e55';
const AT = new Date('2026-03-02T07:00:00Z');
const UNDO = { url: 'https://ref.example/payout-details/restore?token=rJ2mUa7Y', until: new Date('2026-03-05T07:00:00Z') };

const payout = {
  payoutId: ID,
  amount: 12_500,
  currency: 'eur',
  method: 'paypal',
  programName: 'Acme Partners',
  companyName: 'Acme GmbH',
} as const;

const application = {
  applicationId: ID,
  applicantName: 'Ada Lovelace',
  programName: 'Acme Partners',
  companyName: 'Acme GmbH',
  dueAt: AT,
  isExpired: false,
};

const flag = {
  flagId: ID,
  affiliateId: ID,
  type: 'self_referral',
  affiliateName: 'Ada Example',
  affiliateCode: 'ada',
  programName: 'Acme Partners',
  conversions: 3,
  heldAmount: 4_200,
  currency: 'eur',
  dueAt: AT,
  atDeadline: 'dismiss',
  deadlineAction: null,
} as const;

const waitingPayout = {
  payoutId: ID,
  amount: 12_500,
  currency: 'eur',
  affiliateCode: 'ada',
  affiliateName: 'Ada Lovelace',
  programName: 'Acme Partners',
  reviewReason: 'unknown_too_long',
  since: AT,
} as const;

const endpoint = {
  endpointId: ID,
  name: 'Production',
  url: 'https://hooks.example.com/tributary/s3cret?token=abc',
  failingSince: new Date('2026-02-28T06:12:00Z'),
  lastFailure: { error: 'http_5xx', httpStatus: 503 },
} as const;

const lines: ActivityLine[] = [
  { section: 'affiliates', currency: null, count: 2, amount: 0, isCapped: false },
  { section: 'sales', currency: 'eur', count: 31, amount: 310_000, isCapped: false },
  { section: 'sales', currency: 'usd', count: 4, amount: 25_900, isCapped: false },
  { section: 'approvals', currency: 'eur', count: 18, amount: 36_000, isCapped: false },
  { section: 'payouts', currency: 'eur', count: 5, amount: 125_000, isCapped: false },
];

const preferences = {
  newAffiliate: true,
  newConversion: true,
  commissionApproved: true,
  payoutProcessed: true,
  weeklyDigest: true,
};
const period = { companyName: 'Acme GmbH', timeZone: 'Europe/Berlin', from: AT, to: new Date(AT.getTime() + 3_600_000), lines };

const required = (content: MailContent | null): MailContent => {
  if (content === null) throw new Error('there is no mail');
  return content;
};

const INVITE = { programName: 'Acme Partners', companyName: 'Acme GmbH', expiresAt: AT };

const PAYOUT_URLS = {
  remittance: `https://tributary.example/files/remittances/${'0123456789abcdef'.repeat(10)}`,
};

/** As templates return them. */
export const MAIL_CONTENTS: Readonly<Record<string, MailContent>> = {
  'merchant-activity': required(activityMail({ ...period, preferences })),
  'weekly-digest': weeklyDigestMail({ ...period, before: lines.slice(0, 2), waiting: { count: 2, isCapped: false } }),
  'weekly-digest-empty': weeklyDigestMail({ ...period, lines: [], before: [], waiting: { count: 0, isCapped: false } }),
  'application-waiting': applicationWaitingMail({ ...application, status: 'pending' }),
  'application-reminder': applicationReminderMail({ ...application, status: 'pending', applicantName: null }),
  'application-approved': required(applicationDecidedMail({ ...application, status: 'approved' })),
  'application-declined': required(applicationDecidedMail({ ...application, status: 'declined' })),
  'application-expired': required(applicationDecidedMail({ ...application, status: 'declined', isExpired: true })),
  'many-applications': manyWaitingMail('applications'),
  'flag-opened': flagOpenedMail(flag),
  'flag-without-commissions': flagOpenedMail({ ...flag, conversions: 0, heldAmount: 0 }),
  'flag-reminder': flagReminderMail({ ...flag, deadlineAction: 'keep_open' }),
  'flag-deadline': flagDeadlineMail({ ...flag, deadlineAction: 'confirm' }),
  'approval-threshold-changed': thresholdChangedMail({
    companyName: 'Acme GmbH',
    oldThreshold: null,
    newThreshold: { usd: 50_000 },
    at: AT,
  }),
  'rule-change-requested': ruleChangeMail({
    companyName: 'Acme GmbH',
    setting: 'payoutDailyLimit',
    oldValue: { usd: 500_000, eur: 400_000 },
    newValue: null,
    dueAt: new Date('2026-03-05T06:12:00Z'),
    actor: 'API key Backend',
  }),
  'adjustment-approval': adjustmentApprovalMail({
    adjustmentId: '0198f1c2-ad10-7c44-8a21-9f3b7c6d5e01',
    amount: 500_000,
    currency: 'usd',
    kind: 'bonus',
    affiliateCode: 'ada',
    affiliateName: 'Ada Lovelace',
    programName: 'Acme Partners',
  }),
  'payout-run-approval': runApprovalMail({
    runId: '0198f1c2-ad10-7c44-8a21-9f3b7c6d5e03',
    name: '2026-03',
    programName: null,
    total: { eur: 1_234_500, usd: 98_000 },
    items: 291,
    since: AT,
  }),
  'payout-run-scheduled': scheduledRunMail({
    programName: 'Acme Partners',
    period: '2026-03',
    runId: ID,
    outcome: 'waits_for_confirmation',
  }),
  'payout-run-left-out': scheduledRunMail({ programName: 'Acme Partners', period: '2026-03', runId: null, outcome: 'too_large' }),
  'program-invite': programInviteMail({ ...INVITE, url: 'https://tributary.example/i/mF3vQk0Zb8d2' }, false),
  'resource-announced': resourceAnnouncedMail({ ...INVITE, title: 'Spring banner', kind: 'file' }),
  'many-runs-waiting': manyRunsWaitMail(),
  'many-adjustments-waiting': manyAdjustmentsWaitMail(),
  'account-changed': changeMail({
    action: 'program.updated',
    changes: [{ field: 'commissionPercent', old: 20, new: 45, hidden: false }],
    actor: 'Grace Hopper',
    address: '203.0.113.7',
    at: AT,
  }),
  'many-changes': manyChangesMail(),
  'sale-problem': saleProblemMail({ companyName: 'Acme GmbH' }),
  'books-and-provider-differ': differencesMail({
    companyName: 'Acme GmbH',
    open: [
      { kind: 'missing_here', count: 1 },
      { kind: 'fee', count: 12 },
    ],
  }),
  'payout-account-on-hold': heldAccountMail({ rail: 'paypal', code: 'INSUFFICIENT_FUNDS', since: AT }),
  'payments-held': paymentsHeldMail({ companyName: 'Acme GmbH', cause: 'database_behind' }),
  'person-invited': personInviteMail({
    companyName: 'Acme GmbH',
    role: 'finance',
    url: 'https://tributary.example/sign-in/invite?token=mF3vQk0Zb8d2h1YxTn6cR5sWj9uLpE4gAoIiKyNqDzU',
    expiresAt: AT,
  }),
  'new-approver': newApproverMail({ name: 'Grace Hopper', email: 'grace@acme.example', role: 'finance', approvesFrom: AT }),
  'passkey-added': passkeyMail({ name: 'Laptop', change: 'added', at: AT }),
  'passkey-replacement': replacementMail({
    companyName: 'Acme GmbH',
    url: 'https://tributary.example/sign-in/keep-passkeys?token=mF3vQk0Zb8d2h1YxTn6cR5sWj9uLpE4gAoIiKyNqDzU',
    dueAt: AT,
  }),
  'passkeys-replaced': replacementDoneMail({ at: AT }),
  'sign-in': signInMail({
    url: 'https://tributary.example/sign-in/link?token=mF3vQk0Zb8d2h1YxTn6cR5sWj9uLpE4gAoIiKyNqDzU',
    code: '482913',
    expiresAt: AT,
  }),
  join: joinMail({
    programName: 'Acme Partners',
    companyName: 'Acme GmbH',
    url: 'https://tributary.example/join/acme/link?token=mF3vQk0Zb8d2h1YxTn6cR5sWj9uLpE4gAoIiKyNqDzU',
    code: '482913',
    expiresAt: AT,
  }),
  'sign-up': signUpMail({
    url: 'https://tributary.example/sign-up/link?token=mF3vQk0Zb8d2h1YxTn6cR5sWj9uLpE4gAoIiKyNqDzU',
    code: '482913',
    expiresAt: AT,
  }),
  'payout-completed': payoutCompletedMail(payout, PAYOUT_URLS),
  'payout-failed': payoutFailedMail(payout, {
    rail: 'sandbox',
    failureCode: 'rail_rejected',
    railReason: 'account_closed',
  }),
  'payout-to-claim': payoutToClaimMail(payout, { rail: 'paypal', claimBy: AT, isReminder: false }),
  'payout-to-claim-reminder': payoutToClaimMail(payout, { rail: 'paypal', claimBy: AT, isReminder: true }),
  'many-payouts-to-claim': manyPayoutsMail('payout_to_claim'),
  'many-payouts-completed': manyPayoutsMail('payout_completed'),
  'many-payouts-failed': manyPayoutsMail('payout_failed'),
  'payout-attention': payoutAttentionMail(waitingPayout),
  'payout-contradiction': payoutAttentionMail({ ...waitingPayout, reviewReason: 'contradiction' }),
  'payout-return-unconfirmed': payoutAttentionMail({ ...waitingPayout, reviewReason: 'return_unconfirmed' }),
  'payout-reminder': payoutReminderMail({ ...waitingPayout, reviewReason: null }),
  'payout-approval': payoutApprovalMail({ ...waitingPayout, reviewReason: null, payment: '125.00 EUR to g***@example.com' }),
  'payouts-waiting': payoutsWaitingMail('Acme GmbH', { payouts: [waitingPayout, waitingPayout], count: 24, isCapped: false }),
  'many-payouts-waiting': manyPayoutsWaitMail('payout_attention'),
  'payout-details-changed': detailsChangedMail({ at: AT, method: 'bank_transfer', companyName: null, undo: null }),
  'payout-details-wait': detailsChangedMail({ at: AT, method: 'paypal', companyName: null, undo: UNDO }),
  'payout-details-new-address': newAddressMail({ at: AT }),
  'payout-details-restored': detailsRestoredMail({ at: AT }),
  'payout-details-by-merchant': detailsChangedMail({ at: AT, method: 'paypal', companyName: 'Acme GmbH', undo: null }),
  'payout-details-old-address': oldAddressMail(
    detailsChangedMail({ at: AT, method: 'paypal', companyName: 'Acme GmbH', undo: null }),
  ),
  'payout-details-many': manyDetailsChangesMail({ at: AT, companyName: null, undo: null }),
  'payout-details-rejected': detailsRejectedMail({ method: 'paypal', companyName: null, railReason: 'account_closed' }),
  'payout-details-rejected-by-merchant': detailsRejectedMail({
    method: 'bank_transfer',
    companyName: 'Acme GmbH',
    railReason: 'AC04',
  }),
  'webhook-created': endpointCreatedMail({ ...endpoint, createdAt: AT }),
  'webhook-moved': endpointMovedMail({
    ...endpoint,
    oldOrigin: 'https://hooks.example.com',
    newOrigin: 'https://other.example.net:8443',
    removedHeaders: ['authorization', 'x-team'],
  }),
  'many-webhooks-moved': manyEndpointsMail('webhook_origin_changed'),
  'webhook-failing': endpointFailingMail({ ...endpoint, at: AT, disableAt: new Date('2026-03-05T06:12:00Z') }),
  'webhook-disabled-failing': endpointDisabledMail({ ...endpoint, reason: 'failing', disabledAt: AT }),
  'webhook-disabled-gone': endpointDisabledMail({
    ...endpoint,
    reason: 'gone',
    disabledAt: AT,
    failingSince: null,
    lastFailure: { error: 'gone', httpStatus: 410 },
  }),
  'webhook-recovered': endpointRecoveredMail({ ...endpoint, recoveredAt: AT }),
  'many-webhooks-failing': manyEndpointsMail('webhook_failing'),
  'many-webhooks-disabled': manyEndpointsMail('webhook_disabled'),
  'many-webhooks-recovered': manyEndpointsMail('webhook_recovered'),
  'long-names': payoutCompletedMail(
    {
      ...payout,
      companyName: 'Gesellschaft für außerordentlich lange Firmennamen & Söhne <GmbH> "Co." KG Donaudampfschifffahrt',
      programName: 'Donaudampfschifffahrtsgesellschaftspartnerprogrammverwaltungsabteilung',
    },
    PAYOUT_URLS,
  ),
};

/** One mail of each kind, and those that look different, as they are stored. */
export const MAIL_SAMPLES: Readonly<Record<string, StoredMail>> = Object.fromEntries(
  Object.entries(MAIL_CONTENTS).map(([name, content]) => [name, withUrls(content, 'https://tributary.example')]),
);
