/** What `State` was called in workflows that began earlier, by their type, with its names now. */
const OF_PAYOUTS: Readonly<Record<string, readonly string[]>> = {
  awaiting_approval: ['to_approve'],
  pending: ['queued'],
  processing: ['sending'],
  awaiting_finance: ['to_pay'],
  review: ['to_decide', 'to_pay'],
};

const FORMER_STATES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  payoutLifecycle: OF_PAYOUTS,
  payoutCorrection: OF_PAYOUTS,
  payoutRun: { awaiting_approval: ['to_approve'] },
  flagReview: { open: ['to_decide'] },
  applicationReview: { pending: ['to_decide'] },
};

/** Whether a state has only another name. */
export const isRenamed = (type: string, former: unknown, state: unknown): boolean =>
  FORMER_STATES[type]?.[String(former)]?.includes(String(state)) ?? false;

/** With the names that workflows may still show which nothing has changed since. */
export const withFormerNames = (states: readonly string[]): string[] => [
  ...states,
  ...Object.keys(OF_PAYOUTS).filter((former) => OF_PAYOUTS[former]?.some((state) => states.includes(state))),
];
