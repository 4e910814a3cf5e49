import { execute, sql } from '../../../src/platform/database/sql.ts';
import { openPayouts } from '../../../src/worker/metric-queries.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeApprovals } from '../../support/approvals.ts';
import { transactionAs } from '../../support/payout-runs.ts';

const api = useOwnApi();

/** Age of the oldest payout that is pending and held up by nobody, in days. */
const oldestDays = async (): Promise<number> => {
  const found = await openPayouts(api.runtime.orm);
  const [pending] = found.filter(({ status }) => status === 'pending');
  expect(pending?.payouts).toBe(1);
  return Math.round((pending?.oldestSeconds ?? -1) / 86_400);
};

const change = (statement: ReturnType<typeof sql>) => transactionAs(api, ({ em }) => execute(em, statement));

test('a payout counts as old from its approval on, and not while its run is paused or another payout is contradictory', async () => {
  const { pay, merchantId } = await makeApprovals(api, { amount: 50_000 });
  const { id } = (await pay()).data;
  await change(sql`update payout set created_at = now() - interval '6 days' where id = ${id}`);
  expect(await oldestDays()).toBe(0);
  await change(sql`update payout set approved_by = 'somebody', approved_at = now() - interval '4 days' where id = ${id}`);
  expect(await oldestDays()).toBe(4);

  await change(sql`insert into payout_run (id, merchant_id, status, as_of, created_by, created_at, updated_at, total, items)
    values (${id}, ${merchantId}, 'paused', now(), 'test', now(), now() - interval '3 days', '{}', 1)`);
  await change(sql`update payout set payout_run_id = ${id} where id = ${id}`);
  expect(await oldestDays()).toBe(0);
  await change(sql`update payout_run set status = 'running' where id = ${id}`);
  expect(await oldestDays()).toBe(3);

  const attempt = sql`(select id from attempt)`;
  await change(sql`with attempt as (
      insert into payout_attempt (id, payout_id, n, rail, idempotency_key, outcome, send_count, created_at, updated_at)
      values (uuidv7(), ${id}, 1, 'sandbox', 'contradictory', 'failed', 1, now(), now()) returning id)
    insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
    values (${id}, 1, ${attempt}, 'failed', 'paid', now())`);
  expect(await oldestDays()).toBe(0);
});

test('one that is processing counts from when it was sent', async () => {
  const { pay } = await makeApprovals(api, { threshold: 900_000 });
  const { id } = (await pay()).data;
  await change(sql`update payout set created_at = now() - interval '9 days', status = 'processing',
    processing_at = now() - interval '2 days' where id = ${id}`);
  const processing = (await openPayouts(api.runtime.orm)).find(({ status }) => status === 'processing');
  expect(Math.round((processing?.oldestSeconds ?? 0) / 86_400)).toBe(2);
});
