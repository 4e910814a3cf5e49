import type { OperationSuccess } from '../../../api/pipeline/call-operation.ts';
import { PAYOUT_ACTIONS, type PayoutAction } from '../../../contracts/situations/payout.ts';

/** As lists have it. */
export type PayoutData = OperationSuccess<'listPayouts'>['data'][number];
/** As it is read by itself: with what the person can do with it. */
export type PayoutPageData = OperationSuccess<'getPayout'>['data'];
/** An entry of its timeline. */
export type Entry = OperationSuccess<'getPayoutTimeline'>['data'][number];

type Offered = Pick<PayoutPageData, 'availableActions'>;

/** What can be done with a payout now: nothing that would be refused. */
export const offersOf = ({ availableActions }: Offered): PayoutAction[] =>
  PAYOUT_ACTIONS.filter((action) => availableActions.some((offer) => offer.action === action && offer.refusedBecause === null));

/** Whether it waits for an approval that the person cannot give, because they had a part in it. */
export const isApprovedByOthers = ({ availableActions }: Offered): boolean =>
  availableActions.some(({ action, refusedBecause }) => action === 'approve' && refusedBecause === 'SAME_ACTOR');
