import { QUEUES, type Queue } from '../contracts/workflows/queues.ts';
import { firstRow, type RawBuilder, sql } from '../platform/database/sql.ts';
import { type Audit, type Check, findingsOf, lateSince } from './audit.ts';
import { countWorkers } from './temporal-queries.ts';

/** Unfinished work, and the task queue whose activities carry it out. */
const workOf = (late: string): readonly (readonly [Queue, RawBuilder<unknown>])[] => [
  [QUEUES.payouts, sql`select from payout where status in ('pending','processing') and created_at < ${late}`],
  [QUEUES.reviews, sql`select from flag where hold_ended_at is null and created_at < ${late}`],
  [QUEUES.reviews, sql`select from application where status = 'pending' and created_at < ${late}`],
  [QUEUES.mail, sql`select from mail where status = 'queued' and queued_at < ${late}`],
  [QUEUES.webhooks, sql`select from webhook_delivery where status = 'pending' and not in_lane and created_at < ${late}`],
  [QUEUES.webhookLanes, sql`select from webhook_delivery where status = 'pending' and in_lane and created_at < ${late}`],
];

const isWaiting = async ({ ctx }: Audit, work: RawBuilder<unknown>): Promise<boolean> =>
  (await firstRow(ctx.em, sql<{ found: boolean }>`select exists (${work}) as found`))?.found ?? false;

/** I7: work that is under way needs a worker for its task queue. */
export const checkWorkers: Check = async (audit) => {
  const { temporal, queuePrefix } = audit;
  if (!temporal || queuePrefix === undefined) return [];
  const unserved = new Set<Queue>();
  for (const [queue, work] of workOf(lateSince(audit, audit.budgets.promptMs))) {
    if ((await isWaiting(audit, work)) && (await countWorkers(temporal, queuePrefix, queue)) === 0) unserved.add(queue);
  }
  return findingsOf(
    'I7',
    [...unserved].map((queue) => ({
      subject: `task queue ${queuePrefix}${queue}`,
      detail: 'has work and no worker that polls it',
    })),
  );
};
