/** A record that was read by itself: with what the person can do with it. */
interface Offered {
  availableActions: readonly { action: string; refusedBecause: string | null }[];
}

/** Whether the action would not be refused. */
export const isOffered = ({ availableActions }: Offered, action: string): boolean =>
  availableActions.some((offer) => offer.action === action && offer.refusedBecause === null);

/** Whether it waits for an approval that the person cannot give, because they had a part in it. */
export const mustOthersApprove = ({ availableActions }: Offered): boolean =>
  availableActions.some(({ action, refusedBecause }) => action === 'approve' && refusedBecause === 'SAME_ACTOR');
