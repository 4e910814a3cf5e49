import { PAYOUT_RUN_STATUSES, type PayoutRunStatus } from '../../../src/contracts/payout-runs.ts';
import { decideRun, type RunInput } from '../../../src/domains/payout-runs/decide-run.rules.ts';

const INPUTS: readonly RunInput[] = [
  { type: 'take_out' },
  { type: 'confirm', needsApproval: false },
  { type: 'confirm', needsApproval: true },
  { type: 'approve' },
  { type: 'pause' },
  { type: 'resume' },
  { type: 'cancel' },
  { type: 'expire' },
  { type: 'complete' },
];

/** Every change of the specification: from, to, in time or after the deadline. */
const CHANGES: readonly [PayoutRunStatus, RunInput['type'], PayoutRunStatus, boolean][] = [
  ['draft', 'confirm', 'running', true],
  ['draft', 'confirm', 'awaiting_approval', true],
  ['draft', 'cancel', 'cancelled', true],
  ['draft', 'cancel', 'cancelled', false],
  ['draft', 'expire', 'cancelled', false],
  ['awaiting_approval', 'approve', 'running', true],
  ['awaiting_approval', 'cancel', 'cancelled', true],
  ['awaiting_approval', 'cancel', 'cancelled', false],
  ['awaiting_approval', 'expire', 'cancelled', false],
  ...[true, false].flatMap((isInTime): [PayoutRunStatus, RunInput['type'], PayoutRunStatus, boolean][] => [
    ['running', 'pause', 'paused', isInTime],
    ['running', 'cancel', 'cancelled', isInTime],
    ['running', 'complete', 'completed', isInTime],
    ['paused', 'resume', 'running', isInTime],
    ['paused', 'cancel', 'cancelled', isInTime],
    ['paused', 'complete', 'completed', isInTime],
  ]),
];

it('a run changes as specified, and in no other way', () => {
  const changes = PAYOUT_RUN_STATUSES.flatMap((status) =>
    [true, false].flatMap((isInTime) =>
      INPUTS.flatMap((input) => {
        const decision = decideRun({ status, isInTime }, input);
        return 'next' in decision && decision.next !== null ? [[status, input.type, decision.next, isInTime].join(' ')] : [];
      }),
    ),
  );
  expect(changes.sort()).toEqual(CHANGES.map((change) => change.join(' ')).sort());
});

it('nothing changes a run that has ended', () => {
  const ended = (['completed', 'cancelled'] as const).flatMap((status) =>
    INPUTS.map((input) => decideRun({ status, isInTime: true }, input)).filter((decision) => 'next' in decision && decision.next),
  );
  expect(ended).toEqual([]);
});
