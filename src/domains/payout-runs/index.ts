export { eraseRunItems } from './erase-run-items.ts';
export { claimPayoutRun, lockRun, noteTerminatedPayoutRun } from './lock-run.ts';
export { payoutRunCsv } from './payout-run-items.queries.ts';
export { PAYOUT_RUN_EVENTS } from './payout-runs.examples.ts';
export { UNFINISHED_RUNS } from './run-workflow.ts';
export { cancelRunPayouts } from './use-cases/cancel-run-payouts.ts';
export { checkRun } from './use-cases/check-run.ts';
export { createRunPayouts } from './use-cases/create-run-payouts.ts';
export { draftScheduledRuns } from './use-cases/draft-scheduled-runs.ts';
