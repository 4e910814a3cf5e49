import { describeTimelineEntry } from '../../../src/contracts/payout-timeline.texts.ts';
import { PAYOUT_TIMELINE_TYPES } from '../../../src/contracts/payouts.ts';

const entry = { attempt: 1, outcome: null, reason: null, reminder: 2 } as const;

it.each(PAYOUT_TIMELINE_TYPES)('%s has a description without gaps', (type) => {
  expect(describeTimelineEntry({ ...entry, type })).toMatch(/^[A-Z](?!.*(null|undefined))/);
});

it.each([
  [{ type: 'attempt_sent', outcome: 'unknown', reason: 'timeout' }, 'Attempt 1 sent: outcome unknown (timeout)'],
  [{ type: 'status_checked', outcome: 'never_received' }, 'Status of attempt 1 checked: the provider has no record'],
  [{ type: 'manual_review_requested', reason: 'resends_exhausted' }, 'Manual review required: the provider has no record'],
  [{ type: 'manual_review_requested', reason: 'zz_new' }, 'Manual review required: zz_new'],
] as const)('%j', (fields, description) => {
  expect(describeTimelineEntry({ ...entry, ...fields })).toBe(description);
});
