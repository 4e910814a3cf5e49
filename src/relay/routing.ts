import type { TypedSearchAttributes } from '@temporalio/common';
import { APPLICATION_TIMING } from '../contracts/application-timing.ts';
import type { ApplicationSummary } from '../contracts/application-workflow.ts';
import { FLAG_TIMING, type FlagSummary } from '../contracts/flag-review.ts';
import { MAIL_TIMING, type MailSummary } from '../contracts/mail.ts';
import type { OutboxTopic } from '../contracts/outbox.ts';
import { PAYOUT_TIMING } from '../contracts/payout-timing.ts';
import { SCREENING_IDLE_MS } from '../contracts/screening.ts';
import { type PayoutSummary, SIGNALS, WORKFLOW_IDS } from '../contracts/workflows.ts';
import { toMajorUnits } from '../platform/money.ts';
import { flagDetails, flagSummaryLine, toFlagInput } from './flag-texts.ts';
import { ONCE, type OutboxEntry, type Route, type RouteSettings, toSearchAttributes, type WorkflowStart } from './route.ts';
import {
  applicationDetails,
  applicationSummaryLine,
  deliveryDetails,
  mailDetails,
  mailTitle,
  payoutDetails,
  payoutSummaryLine,
  replayDetails,
  toApplicationInput,
  toPayoutInput,
} from './workflow-texts.ts';

const DEFAULTS: RouteSettings = {
  timing: PAYOUT_TIMING,
  applicationTiming: APPLICATION_TIMING,
  flagTiming: FLAG_TIMING,
  mailTiming: MAIL_TIMING,
  links: { api: '/api/v1', workflows: null },
};

const payoutAttributes = (payout: PayoutSummary): TypedSearchAttributes =>
  toSearchAttributes({
    MerchantId: payout.merchantId,
    ProgramId: payout.programId,
    AffiliateId: payout.affiliateId,
    AffiliateCode: payout.affiliateCode,
    State: 'pending',
    Rail: payout.rail,
    Currency: payout.currency,
    Amount: toMajorUnits(Number(payout.amountMinor), payout.currency),
    AmountMinor: Number(payout.amountMinor),
    NeedsAttention: false,
  });

const mailAttributes = ({ merchantId }: MailSummary): TypedSearchAttributes =>
  toSearchAttributes({ ...(merchantId === null ? {} : { MerchantId: merchantId }), State: 'queued', NeedsAttention: false });

/** Of workflows that bulk work starts: after all others of their queue. */
const BULK_PRIORITY_KEY = 5;

const PAYOUT = { ...ONCE, priorityKey: 2, details: payoutDetails } as const;

const payoutLifecycle: Route<'payout.start' | 'payout.changed'> = {
  ...PAYOUT,
  workflowType: 'payoutLifecycle',
  workflowId: ({ payload }) => WORKFLOW_IDS.payout(payload.payoutId),
  input: ({ payload }, { timing, links }) => ({ ...toPayoutInput(payload), timing, links }),
  searchAttributes: payoutAttributes,
  summary: (payout) => payoutSummaryLine('Payout', payout),
};

const payoutContradiction: Route<'payout.contradiction' | 'payout.contradiction_resolved'> = {
  ...PAYOUT,
  workflowType: 'payoutContradiction',
  workflowId: ({ payload }) => WORKFLOW_IDS.payoutContradiction(payload.payoutId, payload.n),
  input: ({ payload }, { timing, links }) => ({
    ...toPayoutInput(payload),
    n: payload.n,
    timing,
    links,
  }),
  searchAttributes: payoutAttributes,
  summary: (payout) => payoutSummaryLine('Contradiction', payout),
};

const applicationReview: Route<'application.start' | 'application.changed'> = {
  ...ONCE,
  workflowType: 'applicationReview',
  priorityKey: 3,
  workflowId: ({ payload }) => WORKFLOW_IDS.application(payload.applicationId),
  input: ({ payload }, { applicationTiming: { remindAfterMs }, links }) => ({
    ...toApplicationInput(payload),
    timing: { remindAfterMs },
    links,
  }),
  searchAttributes: ({ merchantId, programId, affiliateId, dueAt }: ApplicationSummary) =>
    toSearchAttributes({
      MerchantId: merchantId,
      ProgramId: programId,
      AffiliateId: affiliateId,
      State: 'pending',
      NeedsAttention: false,
      DueAt: new Date(dueAt),
    }),
  summary: applicationSummaryLine,
  details: applicationDetails,
};

const flagReview: Route<'flag.start' | 'flag.changed'> = {
  ...ONCE,
  workflowType: 'flagReview',
  priorityKey: 3,
  workflowId: ({ payload }) => WORKFLOW_IDS.flag(payload.flagId),
  input: ({ payload }, { flagTiming, links }) => ({ ...toFlagInput(payload), timing: flagTiming, links }),
  searchAttributes: (flag: FlagSummary) =>
    toSearchAttributes({
      MerchantId: flag.merchantId,
      ProgramId: flag.programId,
      AffiliateId: flag.affiliateId,
      AffiliateCode: flag.affiliateCode,
      State: 'open',
      NeedsAttention: false,
    }),
  summary: flagSummaryLine,
  details: flagDetails,
};

/** The only place that maps topics to workflows. */
export const ROUTES: { readonly [T in OutboxTopic]: Route<T> } = {
  'payout.start': payoutLifecycle,
  'payout.changed': { ...payoutLifecycle, signal: SIGNALS.payoutChanged, signalArg: ({ snapshot }) => snapshot },
  'payout.return': {
    ...PAYOUT,
    workflowType: 'payoutReturn',
    workflowId: ({ payload }) => WORKFLOW_IDS.payoutReturn(payload.payoutId, payload.attemptNumber),
    input: ({ payload }, { links }) => ({
      ...toPayoutInput(payload),
      attemptId: payload.attemptId,
      attemptNumber: payload.attemptNumber,
      links,
    }),
    searchAttributes: payoutAttributes,
    summary: (payout) => payoutSummaryLine('Returned', payout),
  },
  'payout.contradiction': payoutContradiction,
  'payout.contradiction_resolved': { ...payoutContradiction, signal: SIGNALS.contradictionResolved },
  'application.start': applicationReview,
  'application.changed': {
    ...applicationReview,
    signal: SIGNALS.applicationChanged,
    signalArg: ({ snapshot }) => snapshot,
  },
  'flag.start': flagReview,
  'flag.changed': { ...flagReview, signal: SIGNALS.flagChanged, signalArg: ({ snapshot }) => snapshot },
  'mail.send': {
    ...ONCE,
    workflowType: 'mailDelivery',
    priorityKey: 3,
    workflowId: ({ payload }) => WORKFLOW_IDS.mail(payload.mailId),
    input: ({ payload }, { mailTiming }) => ({ mail: mailTitle(payload), ...payload, timing: mailTiming }),
    searchAttributes: mailAttributes,
    summary: mailTitle,
    details: mailDetails,
  },
  'webhook.deliver': {
    ...ONCE,
    workflowType: 'webhookDelivery',
    priorityKey: 4,
    workflowId: ({ subjectId, suffix }) => WORKFLOW_IDS.delivery(subjectId, suffix ?? ''),
    input: ({ subjectId, suffix }) => ({ deliveryId: subjectId, suffix: suffix ?? '' }),
    searchAttributes: ({ merchantId }) => toSearchAttributes({ MerchantId: merchantId }),
    summary: ({ endpointId }) => `Webhook delivery to endpoint ${endpointId}`,
    details: deliveryDetails,
  },
  'webhook.replay': {
    ...ONCE,
    workflowType: 'webhookReplay',
    priorityKey: BULK_PRIORITY_KEY,
    workflowId: ({ payload }) => WORKFLOW_IDS.webhookReplay(payload.replayId),
    input: ({ payload }) => payload,
    searchAttributes: ({ merchantId }) => toSearchAttributes({ MerchantId: merchantId, State: 'running' }),
    summary: ({ endpointId }) => `Replay of events to webhook endpoint ${endpointId}`,
    details: replayDetails,
  },
  'screening.wake': {
    workflowType: 'screening',
    // A shard ends when nothing is left to screen, and starts again under its id.
    reusePolicy: 'ALLOW_DUPLICATE',
    conflictPolicy: 'USE_EXISTING',
    signal: SIGNALS.wake,
    isPrefixed: true,
    priorityKey: 3,
    workflowId: ({ payload }) => WORKFLOW_IDS.screening(payload.shard),
    input: ({ payload }) => ({ shard: payload.shard, idleMs: SCREENING_IDLE_MS }),
    searchAttributes: () => toSearchAttributes({ State: 'current', NeedsAttention: false }),
    summary: ({ shard }) => `Screening, shard ${shard}`,
    details: () => 'Screens new conversions with the fraud rules. A conversion can be released and paid once it is screened.',
  },
};

/** The call for a row. Throws for a topic without a route, such as one of a newer version. */
export const routeOf = <T extends OutboxTopic>(entry: OutboxEntry<T>, settings: RouteSettings = DEFAULTS): WorkflowStart => {
  const route: Route<T> | undefined = ROUTES[entry.topic];
  if (!route) throw new Error(`No route for outbox topic ${entry.topic}`);
  const { workflowId, input, searchAttributes, summary, details, signalArg, ...options } = route;
  const { workflowType } = options;
  return {
    ...options,
    ...(entry.reconciled ? { reusePolicy: 'ALLOW_DUPLICATE' } : {}),
    ...(entry.bulk ? { priorityKey: BULK_PRIORITY_KEY } : {}),
    ...(signalArg ? { signalArgs: [signalArg(entry.payload)] } : {}),
    workflowId: workflowId(entry),
    args: [input(entry, settings)],
    searchAttributes: searchAttributes(entry.payload),
    summary: summary(entry.payload),
    details: details(entry, settings),
    fairnessKey: 'merchantId' in entry.payload ? (entry.payload.merchantId ?? entry.subjectId) : workflowType,
  };
};
