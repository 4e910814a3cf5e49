import { type AttemptOutcome, canTransition, type PayoutStatus } from '../contracts/payouts.ts';
import { rows, sql } from '../platform/database/sql.ts';
import { type Check, findingsOf } from './audit.ts';

interface Past {
  id: string;
  status: PayoutStatus;
  rail: string;
  failed: boolean;
  failure_code: string | null;
  moves: { from: PayoutStatus | null; to: PayoutStatus }[];
  attempts: { n: number; outcome: AttemptOutcome; sends: number; key: string }[];
}

/** Where a payout may stand while its newest attempt has this outcome. `unknown` and `accepted` are decided by the rail or a person. */
const STANDS: Record<AttemptOutcome, readonly PayoutStatus[]> = {
  created: ['processing'],
  unknown: ['processing'],
  accepted: ['processing'],
  paid: ['completed'],
  failed: ['failed'],
  returned: ['failed'],
};

/** I8: the timeline of each payout is one walk through the table of moves, and its attempts agree with where it ended. */
export const checkTransitions: Check = async ({ ctx, counts }) => {
  const payouts = await rows(
    ctx.em,
    sql<Past>`select p.id, p.status, p.rail, p.status = 'failed' as failed, p.failure_code,
        coalesce((select jsonb_agg(jsonb_build_object('from', t.from_status, 'to', t.to_status))
          from payout_timeline t where t.payout_id = p.id and t.to_status is not null), '[]') as moves,
        coalesce((select jsonb_agg(jsonb_build_object('n', a.n, 'outcome', a.outcome, 'sends', a.send_count, 'key', a.idempotency_key) order by a.n)
          from payout_attempt a where a.payout_id = p.id), '[]') as attempts
      from payout p`,
  );
  counts['payouts'] = payouts.length;
  return findingsOf(
    'I8',
    payouts.flatMap((past) =>
      [...wrongMoves(past), ...wrongAttempts(past)].map((detail) => ({ subject: `payout ${past.id}`, detail })),
    ),
  );
};

/** No status is entered twice, so the order of the walk follows from the moves themselves and from no clock. */
const wrongMoves = ({ status, moves }: Past): string[] => {
  const left = [...moves];
  let at: PayoutStatus | null = null;
  for (;;) {
    const next = left.findIndex((move) => move.from === at);
    if (next < 0) break;
    const [move] = left.splice(next, 1);
    if (!move) break;
    if (at === null ? move.to !== 'pending' : !canTransition(at, move.to)) return [`moved from ${at} to ${move.to}`];
    at = move.to;
  }
  if (left.length > 0) return [`${left.length} moves that do not follow from ${at}`];
  return at === status ? [] : [`its timeline ends at ${at}, and it is ${status}`];
};

const wrongAttempts = ({ id, status, rail, failed, failure_code, attempts }: Past): string[] => {
  const found: string[] = [];
  if (failed !== (failure_code !== null)) found.push(`${status} with failure code ${failure_code}`);
  attempts.forEach((attempt, at) => {
    if (attempt.n !== at + 1 || attempt.key !== `payout-${id}-${attempt.n}`)
      found.push(`attempt ${attempt.n} has another number or key`);
    const isSent = attempt.outcome !== 'created' && rail !== 'manual';
    if (isSent && attempt.sends === 0) found.push(`attempt ${attempt.n} is ${attempt.outcome} and was never sent`);
  });
  const newest = attempts.at(-1);
  if (newest && !STANDS[newest.outcome].includes(status)) found.push(`${status} with an attempt that is ${newest.outcome}`);
  if (!newest && (status === 'processing' || status === 'completed')) found.push(`${status} without an attempt`);
  return found;
};
