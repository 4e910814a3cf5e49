import { ownActor } from '../../actor-names.ts';
import { isOffered } from '../../offers.ts';
import type { PageCall } from '../../page.ts';
import type { RunData } from './run-totals.ts';

export const RUN_OFFERS = ['confirm', 'approve', 'pause', 'resume', 'cancel'] as const;
export type RunOffer = (typeof RUN_OFFERS)[number];

type Waiting = Pick<RunData, 'createdBy' | 'confirmedBy' | 'situation'>;

const isOwn = ({ createdBy, confirmedBy }: Waiting, call: Pick<PageCall, 'person'>): boolean => {
  const actor = ownActor(call);
  return actor !== null && [createdBy, confirmedBy].includes(actor);
};

/** Whether a run in a list waits for an approval that the person cannot give, because they drafted or confirmed it. */
export const isApprovedByOthers = (run: Waiting, call: Pick<PageCall, 'person'>): boolean =>
  run.situation.state === 'to_approve' && isOwn(run, call);

/** What can be done with a run now, in addition to its manual payouts: nothing that would be refused. */
export const offersOf = (run: RunData): RunOffer[] =>
  RUN_OFFERS.filter((offer) => isOffered(run, offer) && !(offer === 'confirm' && run.items === 0));
