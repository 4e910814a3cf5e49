import { type AttemptOutcome, canResolve, canTransition, type PayoutStatus, type ReviewReason } from '../contracts/payouts.ts';
import { isSentByCall, type Rail } from '../contracts/rails.ts';
import { rows, sql } from '../platform/database/sql.ts';
import { type Check, findingsOf } from './audit.ts';

interface PayoutHistory {
  id: string;
  status: PayoutStatus;
  rail: Rail;
  failed: boolean;
  failure_code: string | null;
  needsAttention: boolean;
  reviewReason: ReviewReason | null;
  contradictions: number;
  transitions: { from: PayoutStatus | null; to: PayoutStatus; type: string }[];
  attempts: { n: number; outcome: AttemptOutcome; sends: number; key: string; isReported: boolean }[];
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
        p.needs_attention as "needsAttention", p.review_reason as "reviewReason",
        (select count(*) from payout_contradiction k where k.payout_id = p.id and k.resolved_at is null) as contradictions,
        coalesce((select jsonb_agg(jsonb_build_object('from', t.from_status, 'to', t.to_status, 'type', t.type) order by t.seq)
          from payout_timeline t where t.payout_id = p.id and t.to_status is not null), '[]') as transitions,
        coalesce((select jsonb_agg(jsonb_build_object('n', a.n, 'outcome', a.outcome, 'sends', a.send_count, 'key', a.idempotency_key,
            'isReported', exists (select from rail_notification r where r.attempt_id = a.id)) order by a.n)
          from payout_attempt a where a.payout_id = p.id), '[]') as attempts
      from payout p`,
  );
  counts['payouts'] = payouts.length;
  return findingsOf(
    'I8',
    payouts.flatMap((history) =>
      [...wrongTransitions(history), ...wrongAttempts(history), ...wrongReview(history)].map((detail) => ({
        subject: `payout ${history.id}`,
        detail,
      })),
    ),
  );
};

/** Entries are written under the payout's lock, so their order is that of the transitions. */
const wrongTransitions = ({ status, transitions }: PayoutHistory): string[] => {
  let at: PayoutStatus | null = null;
  for (const [index, { from, to, type }] of transitions.entries()) {
    if (from !== at) return [`${transitions.length - index} transitions that do not follow from ${at}`];
    const isAllowed = type === 'contradiction_resolved' ? canResolve : canTransition;
    if (at === null ? to !== 'pending' : !isAllowed(at, to)) return [`illegal transition from ${at} to ${to}`];
    at = to;
  }
  return at === status ? [] : [`its timeline ends at ${at} but it is ${status}`];
};

const wrongReview = ({ needsAttention, reviewReason, contradictions }: PayoutHistory): string[] => [
  ...(needsAttention === (reviewReason !== null) ? [] : [`needsAttention is ${needsAttention} with reason ${reviewReason}`]),
  ...(contradictions > 0 === (reviewReason === 'contradiction')
    ? []
    : [`${contradictions} open contradictions with review reason ${reviewReason}`]),
];

const wrongAttempts = ({ id, status, rail, failed, failure_code, attempts }: PayoutHistory): string[] => {
  const found: string[] = [];
  if (failed !== (failure_code !== null)) found.push(`${status} with failure code ${failure_code}`);
  attempts.forEach((attempt, at) => {
    if (attempt.n !== at + 1 || attempt.key !== `payout-${id}-${attempt.n}`)
      found.push(`attempt ${attempt.n} has a wrong number or key`);
    // A provider may report a transfer before anything is sent, as after the restore of a backup.
    const isSent = attempt.outcome !== 'created' && isSentByCall(rail) && !attempt.isReported;
    if (isSent && attempt.sends === 0) found.push(`attempt ${attempt.n} is ${attempt.outcome} but was never sent`);
  });
  const latest = attempts.at(-1);
  if (latest && !AGREEING_STATUSES[latest.outcome].includes(status))
    found.push(`${status} with an attempt that is ${latest.outcome}`);
  if (!latest && (status === 'processing' || status === 'completed')) found.push(`${status} without an attempt`);
  return found;
};
