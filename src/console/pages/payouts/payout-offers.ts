import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { PAYOUT_ACTIONS, type PayoutAction } from '../../../contracts/situations/payout.ts';
import { isOffered } from '../../offers.ts';

/** As lists have it. */
export type PayoutData = OperationSuccess<'listPayouts'>['data'][number];
/** As it is read by itself: with what the person can do with it. */
export type PayoutPageData = OperationSuccess<'getPayout'>['data'];
/** An entry of its timeline. */
export type Entry = OperationSuccess<'getPayoutTimeline'>['data'][number];

/** What can be done with a payout now: nothing that would be refused. */
export const offersOf = (payout: Pick<PayoutPageData, 'availableActions'>): PayoutAction[] =>
  PAYOUT_ACTIONS.filter((action) => isOffered(payout, action));
