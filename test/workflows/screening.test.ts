import { WorkflowNotFoundError } from '@temporalio/client';
import type { ScreeningState } from '../../src/contracts/workflows/screening.ts';
import { screening } from '../../src/contracts/workflows/screening.ts';
import { firstRow, sql } from '../../src/platform/database/sql.ts';
import { makeAffiliate, makeMerchant, makeProgram, saleEvent, sendUnscreened } from '../support/factories.ts';
import { recordHistory } from '../support/histories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { currentDetailsOf } from '../support/workflow-details.ts';

const system = useTestSystem({ reconcile: { everyMs: 500, graceMs: 200 } });
const context = () => system.runtime.context({ kind: 'system', name: 'test' });

const workflowOf = (shard: number) =>
  system.temporal.clients.background.workflow.getHandle(system.runtime.config.TEMPORAL_QUEUE_PREFIX + screening.id(shard));

type Handle = ReturnType<typeof workflowOf>;

/** Null before the relay has started the workflow. */
const stateOf = (handle: Handle): Promise<ScreeningState | null> =>
  handle.query<ScreeningState>('currentState').catch((error: unknown) => {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  });

const isIdle = (state: ScreeningState | null): boolean => state?.waitingFor === 'new conversions' && state.screened > 0;

const attributesOf = async (handle: Handle): Promise<Record<string, unknown>> => {
  const { typedSearchAttributes } = await handle.describe();
  return Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
};

const setUp = async (settings: Record<string, unknown> = {}) => {
  const { key } = await makeMerchant(system.runtime);
  const program = await makeProgram(system, key, settings);
  const affiliate = await makeAffiliate(system.runtime, program.programId);
  const shard = Number.parseInt(affiliate.affiliateId.slice(-1), 16);
  const sell = async () => (await sendUnscreened(system, program, saleEvent({ referralCode: affiliate.code }))).data.conversionId;
  const conversion = (id: string) =>
    firstRow(
      context().em,
      sql<{
        screenedAt: string | null;
        status: string;
      }>`select screened_at as "screenedAt", status from conversion where id = ${id}::uuid`,
    );
  return { ...affiliate, key, program, shard, sell, conversion };
};

it('a sale wakes the workflow of its shard, which screens it and approves what has no hold period', async () => {
  const { sell, conversion, shard } = await setUp();
  const id = await sell();
  expect(
    await until(
      'the commission is approved',
      () => conversion(id),
      (row) => row?.status === 'approved',
    ),
  ).toMatchObject({ screenedAt: expect.any(String) });
  const handle = workflowOf(shard);
  const { type, status } = await handle.describe();
  expect([type, status.name]).toEqual(['screening', 'RUNNING']);
  await until('the workflow is idle', () => stateOf(handle), isIdle);
  await recordHistory(handle, 'screening', 'open');
});

it('the workflow shows how far it is', async () => {
  const { sell, shard } = await setUp();
  await sell();
  const handle = workflowOf(shard);
  expect(await until('the workflow is idle', () => stateOf(handle), isIdle)).toEqual({
    shard,
    status: 'current',
    screened: expect.any(Number),
    waiting: 0,
    waitingSince: null,
    failedRules: {},
    waitingFor: 'new conversions',
    needsAttention: false,
  });
  expect(await currentDetailsOf(handle)).toContain(`**Up to date**, shard ${shard}`);
  expect(await attributesOf(handle)).toMatchObject({ State: 'current', NeedsAttention: false });
});

it('a rule that throws is named, and needs attention until the run ends', async () => {
  const { sell, shard, profileId } = await setUp();
  await context().em.execute(`update affiliate_profile set payout_details = 'broken' where id = ?`, [profileId]);
  await sell();
  const handle = workflowOf(shard);
  const state = await until(
    'the workflow needs attention',
    () => stateOf(handle),
    (found) => found?.needsAttention === true,
  );
  expect(state).toMatchObject({ shard, failedRules: { self_referral: 1 } });
  expect(await currentDetailsOf(handle)).toContain('`self_referral` for 1');
  expect(
    await until(
      'the list shows that the workflow needs attention',
      () => attributesOf(handle),
      (attributes) => attributes['NeedsAttention'] === true,
    ),
  ).toMatchObject({ NeedsAttention: true });
  await recordHistory(handle, 'screening', 'failed-rule');
});

it('a workflow that was terminated comes back, and a cancellation has no effect', async () => {
  const { sell, conversion, shard } = await setUp();
  const handle = workflowOf(shard);
  const isScreened = (id: string) =>
    until(
      'the sale is screened',
      () => conversion(id),
      (row) => row?.screenedAt !== null && row !== null,
    );
  await isScreened(await sell());
  await handle.cancel();
  await isScreened(await sell());
  await handle.terminate('lost');
  const id = await sell();
  // Without the row that would wake it.
  await context().em.execute(`delete from outbox where topic = 'screening.wake'`);
  const approved = await until(
    'the commission is approved',
    () => conversion(id),
    (row) => row?.status === 'approved',
  );
  expect(approved?.screenedAt).not.toBeNull();
});
