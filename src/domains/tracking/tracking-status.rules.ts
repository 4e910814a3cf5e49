import type { ProgramStatus } from '../../contracts/programs.ts';
import { TRACKING_WARNINGS, type TrackingWarning } from '../../contracts/tracking.ts';

/** What was measured about a program. Times are null for what never happened. */
export interface TrackingFacts {
  status: ProgramStatus;
  website: string | null;
  hasPaymentSource: boolean;
  hasTrackedClick: boolean;
  hasApprovedAffiliate: boolean;
  websiteDomain: string | null;
  stripeConnectedAt: string | null;
  stripeSecretSetAt: string | null;
  lastClickAt: string | null;
  lastSaleAt: string | null;
  scriptSeenAt: string | null;
  scriptPage: string | null;
  /** When the current event secret was issued. */
  eventSecretIssuedAt: string | null;
  eventSecretLastUsedAt: string | null;
}

const MESSAGES: Record<TrackingWarning, string> = {
  PROGRAM_INACTIVE: 'Clicks and sales do not count: set the status of the program to active.',
  WEBSITE_MISSING: 'Clicks of no page are accepted: set the website of the program.',
  SCRIPT_NOT_SEEN:
    'The script has not reported a click yet: add it to every page of the website and open one with the `via` parameter.',
  NO_AFFILIATES: 'Nobody promotes the program: add or approve an affiliate.',
  NO_CLICKS: 'No click was counted yet: open a link of an affiliate in a browser.',
  NO_PAYMENT_SOURCE: 'Sales cannot be reported: connect Stripe or issue an event secret.',
  EVENT_SECRET_UNUSED: 'No event was signed with the current secret: send a sale event from the payment system.',
  NO_SALES: 'No sale was received yet: make a test purchase.',
};

const isMissing: Record<TrackingWarning, (facts: TrackingFacts) => boolean> = {
  PROGRAM_INACTIVE: ({ status }) => status !== 'active',
  WEBSITE_MISSING: ({ websiteDomain }) => websiteDomain === null,
  SCRIPT_NOT_SEEN: ({ scriptSeenAt }) => scriptSeenAt === null,
  NO_AFFILIATES: ({ hasApprovedAffiliate }) => !hasApprovedAffiliate,
  NO_CLICKS: ({ hasTrackedClick }) => !hasTrackedClick,
  NO_PAYMENT_SOURCE: ({ hasPaymentSource }) => !hasPaymentSource,
  EVENT_SECRET_UNUSED: ({ eventSecretIssuedAt, eventSecretLastUsedAt }) =>
    eventSecretIssuedAt !== null && eventSecretLastUsedAt === null,
  NO_SALES: ({ lastSaleAt }) => lastSaleAt === null,
};

export interface Warning {
  code: TrackingWarning;
  message: string;
}

/** What is missing and how to fix it, the first step first. */
export const warningsOf = (facts: TrackingFacts): Warning[] =>
  TRACKING_WARNINGS.filter((code) => isMissing[code](facts)).map((code) => ({ code, message: MESSAGES[code] }));

/** One sentence about what works, or about the next step. */
export const summaryOf = ([next, ...others]: readonly Warning[]): string => {
  if (!next) return 'Clicks and sales arrive.';
  const count = others.length === 0 ? '' : ` ${others.length} more ${others.length === 1 ? 'step' : 'steps'} after that.`;
  return `${next.message}${count}`;
};
