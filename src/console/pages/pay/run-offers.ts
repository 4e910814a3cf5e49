import { ownActor } from '../../actor-names.ts';
import type { PageCall } from '../../page.ts';
import type { RunData } from './run-totals.ts';

/** What people do with a run as a whole. */
export type RunOffer = 'confirm' | 'approve' | 'pause' | 'resume' | 'cancel';

type Waiting = Pick<RunData, 'createdBy' | 'confirmedBy' | 'situation'>;

const isOwn = ({ createdBy, confirmedBy }: Waiting, call: Pick<PageCall, 'person'>): boolean => {
  const actor = ownActor(call);
  return actor !== null && [createdBy, confirmedBy].includes(actor);
};

/** Whether a run in a list waits for an approval that the person cannot give, because they drafted or confirmed it. */
export const isApprovedByOthers = (run: Waiting, call: Pick<PageCall, 'person'>): boolean =>
  run.situation.state === 'to_approve' && isOwn(run, call);
