import { ScheduleOverlapPolicy } from '@temporalio/client';
import { createAffiliate } from '../../src/domains/applications/index.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { after, HOUR_MS } from '../../src/platform/clock.ts';
import { inTransaction } from '../../src/platform/context.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale, unique } from '../support/factories.ts';
import { OPERATIONS, operate } from '../support/operate.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';

const system = useTestSystem();
const context = () => system.runtime.context({ kind: 'system', name: 'test' });
const client = () => system.temporal.clients.background;

/** What a run of a Schedule has to do once, and the table that it waits for while somebody else has it. */
interface Case {
  schedule: string;
  table: string;
  /** Returns how often it was done. */
  prepare(): Promise<() => Promise<number>>;
}

const countOf = async (statement: string, ...values: unknown[]): Promise<number> =>
  Number((await context().em.execute(statement, values))[0]?.count);

const CASES: Readonly<Record<string, Case>> = {
  commissionRelease: {
    schedule: 'commission-release',
    table: 'conversion',
    async prepare() {
      const { key } = await makeMerchant(system.runtime);
      const program = await makeProgram(system, key, { commissionHoldDays: 1 });
      const { code, affiliateId } = await makeAffiliate(system.runtime, program.programId);
      const { data } = await sendSale(system, program, { referralCode: code });
      await context().em.execute(`update conversion set release_at = now() - interval '1 second' where id = ?`, [
        data.conversionId,
      ]);
      return () =>
        countOf(
          `select count(*) from ledger_balance where affiliate_id = ? and pending = 0
            and payable = (select commission from conversion where id = ? and status = 'approved')`,
          affiliateId,
          data.conversionId,
        );
    },
  },
  digests: {
    schedule: 'digests',
    table: 'mail_progress',
    async prepare() {
      const { merchantId, key } = await makeMerchant(system.runtime);
      const { programId } = await makeProgram(system, key);
      const earlier = { ...context(), clock: { now: () => after(new Date(), -2 * HOUR_MS) } };
      await createAffiliate(earlier, { programId, email: `a-${unique()}@example.com`, name: 'Ada Test', source: 'api' });
      await context().em.execute(
        `insert into mail_progress (name, done_until) values ('activity', date_trunc('hour', now()) - interval '3 hours')
          on conflict (name) do update set done_until = excluded.done_until`,
      );
      return () => countOf(`select count(*) from mail where subject_id = ? and kind = 'merchant_activity'`, merchantId);
    },
  },
  retention: {
    schedule: 'retention',
    table: 'rail_notification',
    async prepare() {
      const id = unique();
      await context().em.execute(
        `insert into rail_notification (id, rail, external_id, idempotency_key, status, occurred_at, received_at, handled_at)
          values (uuidv7(-interval '401 days'), 'sandbox', ?, ?, 'paid', now(), now(), now())`,
        [id, id],
      );
      const left = () => countOf('select count(*) from rail_notification where external_id = ?', id);
      expect(await left()).toBe(1);
      return async () => 1 - (await left());
    },
  },
};

/** Keeps a table from everybody else until the returned function is called. */
const holdTable = async (table: string): Promise<() => Promise<void>> => {
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const transaction = inTransaction(context(), async ({ em }) => {
    await em.execute(`lock table ${table} in access exclusive mode`);
    held.resolve();
    await release.promise;
  });
  transaction.catch(held.reject);
  await held.promise;
  return () => {
    release.resolve();
    return transaction;
  };
};

/** Starts a run, also beside one that is running, and returns its id. */
const trigger = async (schedule: string): Promise<string> => {
  const handle = client().schedule.getHandle(system.runtime.config.TEMPORAL_QUEUE_PREFIX + schedule);
  const taken = async () => (await handle.describe()).info.recentActions.map(({ action }) => action.workflow.workflowId);
  const before = await taken();
  await handle.trigger(ScheduleOverlapPolicy.ALLOW_ALL);
  const ran = await until(`the schedule ${schedule} has started a run`, taken, (ids) => ids.length > before.length);
  return ran.at(-1) ?? '';
};

const statusOf = async (workflowId: string): Promise<string> =>
  (await client().workflow.getHandle(workflowId).describe()).status.name;

const ends = (workflowId: string) =>
  until(
    `${workflowId} has ended`,
    () => statusOf(workflowId),
    (status) => status !== 'RUNNING',
  );

/** Its first step waits for the table, or the one before that. */
const isWorking = (workflowId: string) =>
  until(
    `${workflowId} is in an activity`,
    async () => (await client().workflow.getHandle(workflowId).describe()).raw.pendingActivities?.length ?? 0,
    (count) => count > 0,
  );

/** A run that is cancelled in its last step completes. */
const ENDS = { terminated: /^TERMINATED$/, cancelled: /^(CANCELLED|COMPLETED)$/, reset: /^COMPLETED$/, copied: /^COMPLETED$/ };

it.each(Object.entries(CASES).flatMap(([name, of]) => OPERATIONS.map((operation) => ({ name, operation, ...of }))))(
  'FI11: a run of $name that is $operation is made up for by the next one, and nothing is done twice',
  async ({ operation, schedule, table, prepare }) => {
    const timesDone = await prepare();
    const release = await holdTable(table);
    const workflowId = await trigger(schedule);
    await isWorking(workflowId);
    const copy = await operate(client(), workflowId, operation).finally(release);
    const ended = await ends(workflowId);
    expect(ended).toMatch(ENDS[operation]);
    await copy?.result();
    expect(await ends(await trigger(schedule))).toBe('COMPLETED');
    expect(await timesDone()).toBe(1);
    expect(await verifyLedger(context())).toEqual([]);
  },
);
