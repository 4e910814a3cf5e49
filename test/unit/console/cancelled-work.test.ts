import { cancelledText } from '../../../src/console/pages/settings/cancelled-work.ts';

it.each([
  [[], ''],
  [['payout'], '. Cancelled: 1 payout'],
  [['payout', 'payout', 'payout_run'], '. Cancelled: 2 payouts, 1 payout run'],
  [
    ['adjustment', 'pending_change', 'person_invite', 'pending_change'],
    '. Cancelled: 1 adjustment, 2 changes of the approval rules, 1 invite',
  ],
] as const)('of %j the page says: %s', (kinds, text) => {
  expect(cancelledText(kinds.map((kind) => ({ kind })))).toBe(text);
});
