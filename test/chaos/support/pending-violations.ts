import { randomUUID } from 'node:crypto';
import type { Violation } from './violations.ts';

type Statements = NonNullable<Violation['sql']>;

const OLD = `now() - interval '1 hour'`;
const RUN = randomUUID();

/** The payout `ok` is old and still pending. */
const pending =
  (change: string, ...before: string[]): Statements =>
  (ids) => [...before, `update payout set status = 'pending', created_at = ${OLD}, ${change} where id = '${ids['ok']}'`];

const APPROVED = `approval_required_at = ${OLD}, approved_by = 'somebody'`;

/** In a run that has had this status since then. */
const inRun = (status: 'running' | 'paused', since: string): Statements =>
  pending(
    `payout_run_id = '${RUN}'`,
    `insert into payout_run (id, merchant_id, status, as_of, created_by, created_at, updated_at, total, items)
     values ('${RUN}', '${RUN}', '${status}', ${OLD}, 'test', ${OLD}, ${since}, '{}', 1)`,
  );

const LATE: readonly { name: string; sql: Statements; finding?: RegExp }[] = [
  { name: 'a payout that stays pending', sql: pending('updated_at = now()') },
  { name: 'a payout that stays pending after its approval', sql: pending(`${APPROVED}, approved_at = ${OLD}`) },
  { name: 'a payout that stays pending after its run was resumed', sql: inRun('running', OLD) },
  {
    name: 'a payout whose approval did not expire in time',
    sql: pending(`approval_required_at = now() - interval '8 days'`),
    finding: /waits for an approval that has expired/,
  },
];

export const PENDING_VIOLATIONS: Violation[] = LATE.map((late) => ({
  invariant: 'I7',
  finding: /pending for too long/,
  ...late,
}));

/** What may wait. */
export const MAY_WAIT: readonly { name: string; sql: Statements }[] = [
  { name: 'waits for approval', sql: pending(`approval_required_at = ${OLD}`) },
  { name: 'was approved just now', sql: pending(`${APPROVED}, approved_at = now()`) },
  { name: 'is in a paused run', sql: inRun('paused', OLD) },
  { name: 'is in a run that was resumed just now', sql: inRun('running', 'now()') },
];
