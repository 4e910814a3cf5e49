import { type AttemptOutcome, canTransition, type PayoutStatus } from '../contracts/payouts.ts';
import { type Rail, railKind } from '../contracts/rails.ts';
import { rows, sql } from '../platform/database/sql.ts';
import { type Check, findingsOf } from './audit.ts';

interface PayoutHistory {
  id: string;
  status: PayoutStatus;
  rail: Rail;
  failed: boolean;
  failure_code: string | null;
  transitions: { from: PayoutStatus | null; to: PayoutStatus }[];
  attempts: { n: number; outcome: AttemptOutcome; sends: number; key: string }[];
}

/** The payout statuses that agree with the outcome of its latest attempt. */
const AGREEING_STATUSES: Record<AttemptOutcome, readonly PayoutStatus[]> = {
  created: ['processing'],
  unknown: ['processing'],
  accepted: ['processing'],
  paid: ['completed'],
  failed: ['failed'],
  returned: ['failed'],
};

/** I8: the timeline of each payout is a path through the state machine, and its attempts agree with its status. */
export const checkTransitions: Check = async ({ ctx, counts }) => {
  const payouts = await rows(
    ctx.em,
    sql<PayoutHistory>`select p.id, p.status, p.rail, p.status = 'failed' as failed, p.failure_code,
        coalesce((select jsonb_agg(jsonb_build_object('from', t.from_status, 'to', t.to_status))
          from payout_timeline t where t.payout_id = p.id and t.to_status is not null), '[]') as transitions,
        coalesce((select jsonb_agg(jsonb_build_object('n', a.n, 'outcome', a.outcome, 'sends', a.send_count, 'key', a.idempotency_key) order by a.n)
          from payout_attempt a where a.payout_id = p.id), '[]') as attempts
      from payout p`,
  );
  counts['payouts'] = payouts.length;
  return findingsOf(
    'I8',
    payouts.flatMap((history) =>
      [...wrongTransitions(history), ...wrongAttempts(history)].map((detail) => ({ subject: `payout ${history.id}`, detail })),
    ),
  );
};

/** No status is entered twice, so the order follows from the transitions themselves, not from timestamps. */
const wrongTransitions = ({ status, transitions }: PayoutHistory): string[] => {
  const left = [...transitions];
  let at: PayoutStatus | null = null;
  for (;;) {
    const next = left.findIndex(({ from }) => from === at);
    if (next < 0) break;
    const [transition] = left.splice(next, 1);
    if (!transition) break;
    if (at === null ? transition.to !== 'pending' : !canTransition(at, transition.to))
      return [`illegal transition from ${at} to ${transition.to}`];
    at = transition.to;
  }
  if (left.length > 0) return [`${left.length} transitions that do not follow from ${at}`];
  return at === status ? [] : [`its timeline ends at ${at} but it is ${status}`];
};

const wrongAttempts = ({ id, status, rail, failed, failure_code, attempts }: PayoutHistory): string[] => {
  const found: string[] = [];
  if (failed !== (failure_code !== null)) found.push(`${status} with failure code ${failure_code}`);
  attempts.forEach((attempt, at) => {
    if (attempt.n !== at + 1 || attempt.key !== `payout-${id}-${attempt.n}`)
      found.push(`attempt ${attempt.n} has a wrong number or key`);
    const isSent = attempt.outcome !== 'created' && railKind(rail) !== 'manual';
    if (isSent && attempt.sends === 0) found.push(`attempt ${attempt.n} is ${attempt.outcome} but was never sent`);
  });
  const latest = attempts.at(-1);
  if (latest && !AGREEING_STATUSES[latest.outcome].includes(status))
    found.push(`${status} with an attempt that is ${latest.outcome}`);
  if (!latest && (status === 'processing' || status === 'completed')) found.push(`${status} without an attempt`);
  return found;
};
