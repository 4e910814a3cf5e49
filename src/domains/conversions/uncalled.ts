import { addEvidence } from './use-cases/add-evidence.ts';
import { recordCumulativeRefund } from './use-cases/record-cumulative-refund.ts';
import { recordDispute } from './use-cases/record-dispute.ts';

/** Use cases that wait for their caller. */
export const UNCALLED = { addEvidence, recordCumulativeRefund, recordDispute };
