import pMap from 'p-map';
import { QUEUES } from '../../../src/contracts/workflows/queues.ts';
import { createAffiliate } from '../../../src/domains/applications/index.ts';
import { raiseFlag } from '../../../src/domains/flags/index.ts';
import { after, DAY_MS, HOUR_MS } from '../../../src/platform/clock.ts';
import { type Context, inTransaction } from '../../../src/platform/context.ts';
import { execute, firstRow, type RawBuilder, sql } from '../../../src/platform/database/sql.ts';
import type { FaultPoint } from '../../../src/platform/fault-points.ts';
import { apply, makePerson } from '../../support/applications.ts';
import { makeAffiliate, saleEvent, sendUnscreened, unique } from '../../support/factories.ts';
import { runProgram } from '../../support/run-program.ts';
import { screenAll } from '../../support/screening.ts';
import { until } from '../../support/until.ts';
import { operator } from './settled.ts';
import type { TestCluster } from './test-cluster.ts';

/** Waits until what a crash interrupted is done. */
export type Finish = () => Promise<unknown>;

type Work = (cluster: TestCluster) => Promise<Finish>;

const NOTHING: Finish = async () => {};

/** More than one transaction rejects. */
const MANY = 101;

const contextAt = ({ runtime }: TestCluster, ageMs: number): Context => ({
  ...operator(runtime),
  clock: { now: () => after(new Date(), -ageMs) },
});

const change = ({ runtime }: TestCluster, statement: RawBuilder<unknown>) => execute(operator(runtime).em, statement);

const untilFound =
  ({ runtime }: TestCluster, statement: RawBuilder<unknown>): Finish =>
  () =>
    until(
      'the work has left its row',
      () => firstRow(operator(runtime).em, statement),
      (row) => row !== null,
    );

/** An application that waits for so long already. */
const applyBefore =
  (days: number, isDone: RawBuilder<unknown>): Work =>
  async (cluster) => {
    const { profileId } = await makePerson(cluster.runtime);
    const { applicationId } = await apply(contextAt(cluster, days * DAY_MS), cluster.program.programId, { profileId });
    return untilFound(cluster, sql`select from application where id = ${applicationId}::uuid and ${isDone}`);
  };

/** A flag whose deadline has come, and which confirms it. */
const passDeadline =
  (sales: number): Work =>
  async (cluster) => {
    const { runtime, merchantId, key, program } = cluster;
    await cluster.call('PATCH', '/merchant', { key, body: { flagDeadlineAction: 'confirm' } });
    const { affiliateId, code } = await makeAffiliate(runtime, program.programId);
    const sell = () => sendUnscreened(cluster, program, saleEvent({ referralCode: code }));
    const sold = await pMap(Array.from({ length: sales }), sell, { concurrency: 4 });
    await screenAll(runtime);
    const conversionIds = sold.map(({ data }) => data.conversionId as string);
    const finding = {
      merchantId,
      programId: program.programId,
      affiliateId,
      type: 'self_referral',
      details: {},
      conversionIds,
    } as const;
    const { flagId } = await inTransaction(operator(runtime), async (ctx) => {
      const raised = await raiseFlag(ctx, finding);
      await execute(ctx.em, sql`update flag set due_at = now() - interval '1 second' where id = ${raised.flagId}::uuid`);
      return raised;
    });
    return untilFound(cluster, sql`select from flag where id = ${flagId}::uuid and hold_ended_at is not null`);
  };

const writeDigest: Work = async (cluster) => {
  const { runtime, program, temporal } = cluster;
  const email = `a-${unique()}@example.com`;
  const member = { programId: program.programId, email, name: 'Ada Test', source: 'api' } as const;
  await createAffiliate(contextAt(cluster, 2 * HOUR_MS), member);
  await change(
    cluster,
    sql`insert into mail_progress (name, done_until) values ('activity', now() - interval '3 hours')
      on conflict (name) do update set done_until = excluded.done_until`,
  );
  const prefix = runtime.config.TEMPORAL_QUEUE_PREFIX;
  const workflow = await temporal.clients.background.workflow.start('digests', {
    workflowId: `${prefix}digests-${unique()}`,
    taskQueue: prefix + QUEUES.workflows,
  });
  return () => workflow.result();
};

const announceResource: Work = async (cluster) => {
  const { merchantId, key, program } = cluster;
  await change(cluster, sql`update merchant set billing_tier = 'pro' where id = ${merchantId}::uuid`);
  // Earlier ones do not count towards the limit of a week.
  await change(cluster, sql`update resource_notification set created_at = now() - interval '8 days'`);
  const body = { title: 'Press kit', url: 'https://acme.example/press' };
  const { data } = await cluster.call('POST', `/programs/${program.programId}/marketing-resources/links`, { key, body });
  const published = await cluster.call('POST', `/marketing-resources/${data.id}/publish`, {
    key,
    body: { program_id: program.programId, notify_affiliates: true },
  });
  if (!published.data?.notification?.accepted) throw new Error(`no notification: ${published.text}`);
  return untilFound(
    cluster,
    sql`select from resource_notification where resource_id = ${data.id}::uuid and finished_at is not null`,
  );
};

/** Pays two affiliates in a run. */
const payInRun: Work = async (cluster) => {
  const { key, program } = cluster;
  const affiliateIds = (await cluster.payables(2)).map(({ affiliateId }) => affiliateId);
  const { data } = await cluster.call('POST', '/payout-runs', { key, body: { programId: program.programId, affiliateIds } });
  const { id, total, items } = data;
  const confirmed = await cluster.call('POST', `/payout-runs/${id}/confirm`, { key, body: { total, items } });
  if (confirmed.status !== 200) throw new Error(`not confirmed: ${confirmed.text}`);
  return untilFound(cluster, sql`select from payout_run where id = ${id}::uuid and status = 'completed'`);
};

/** The command dies, and is run again. */
const erase: Work = async (cluster) => {
  const { profileId, email } = await makePerson(cluster.runtime);
  await apply(operator(cluster.runtime), cluster.program.programId, { profileId });
  const run = (FAULT_POINTS: string) =>
    runProgram(['bin/admin.ts', 'erase-person', '--email', email, '--json'], { ...cluster.env, FAULT_POINTS });
  const died = await run('erasure:after-profile' satisfies FaultPoint);
  if (died.code !== -1) throw new Error(`the command did not crash: ${died.out}${died.err}`);
  return async () => {
    const { code, err } = await run('');
    if (code !== 0) throw new Error(`not erased: ${err}`);
  };
};

const sellUnscreened: Work = async (cluster) => {
  await cluster.sellUnscreened();
  return NOTHING;
};

/** What reaches a fault point that a payout does not reach. */
const WORK: Partial<Record<FaultPoint, Work>> = {
  'application:after-reminder': applyBefore(4, sql`reminders = 1`),
  'application:after-expiry': applyBefore(31, sql`status = 'declined'`),
  'screening:before-commit': sellUnscreened,
  'screening:after-commit': sellUnscreened,
  'flag:after-deadline': passDeadline(1),
  'flag:between-batches': passDeadline(MANY),
  'run:before-page-commit': payInRun,
  'run:after-page': payInRun,
  'digest:after-page': writeDigest,
  'resource:after-batch': announceResource,
  'erasure:after-profile': erase,
};

/** Begins what reaches the point, which may be `name@3`. */
export const beginWork = async (cluster: TestCluster, point: string): Promise<Finish> => {
  const work = WORK[point.split('@')[0] as FaultPoint];
  return work ? work(cluster) : NOTHING;
};
