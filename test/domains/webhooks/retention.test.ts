import { randomUUID } from 'node:crypto';
import { retentionActivities } from '../../../activities/retention.ts';
import { RETENTION_STEPS, type RetentionStep } from '../../../src/contracts/workflows/retention.ts';
import { runSql } from '../../../src/local/stack/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import { asActivity } from '../../support/as-activity.ts';
import { makeMerchant, unique } from '../../support/factories.ts';
import { makePayout } from '../../support/payouts.ts';
import { until } from '../../support/until.ts';

const MONTHS = 24;
const ROWS_PER_MONTH = 300;

const api = useOwnApi();

const asOwner = (...statements: string[]) => {
  const url = new URL(process.env['TEST_DATABASE_ADMIN_URL'] ?? '');
  return runSql(Object.assign(url, { pathname: new URL(api.runtime.config.DATABASE_URL).pathname }).href, ...statements);
};
const asApplication = (...statements: string[]) => runSql(api.runtime.config.DATABASE_URL, ...statements);

const monthAgo = (months: number): Date => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months));
};
const nameOf = (months: number): string => monthAgo(months).toISOString().slice(0, 7).replace('-', '_');

/** One month with events, a delivery that succeeded for each, and its attempt. */
const fillMonth = (months: number): Promise<unknown> => {
  const first = monthAgo(months).toISOString();
  return asOwner(
    ...(
      [
        ['webhook_event', 'id'],
        ['webhook_delivery', 'event_id'],
        ['webhook_attempt', 'delivery_id'],
      ] as const
    ).map(([table, key]) => `select create_partition('${table}', '${key}', '${first.slice(0, 10)}')`),
    `with made as (
        select uuidv7('${first}'::timestamptz + n * interval '1 hour' + interval '1 minute' - clock_timestamp()) as id,
          uuidv7('${first}'::timestamptz + n * interval '1 hour' + interval '1 minute' - clock_timestamp()) as delivery_id,
          '${first}'::timestamptz + n * interval '1 hour' as at from generate_series(1, ${ROWS_PER_MONTH}) as n),
      event as (insert into webhook_event (id, merchant_id, type, schema_version, body, occurred_at)
        select id, '${randomUUID()}', 'payout.completed', 2, '{}', at from made),
      delivery as (insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, status, attempts, created_at, updated_at)
        select delivery_id, id, '${randomUUID()}', '${randomUUID()}', 0, 0, 'succeeded', 1, at, at from made)
      insert into webhook_attempt (delivery_id, n, suffix, trigger, url, started_at, finished_at, outcome, http_status)
        select delivery_id, 1, '', 'schedule', 'https://example.com', at, at, 'succeeded', 200 from made`,
  );
};

/** Gives one delivery of the month another status. */
const keepOpen = (months: number, status: string): Promise<unknown> =>
  asApplication(`update webhook_delivery set status = '${status}' where id = (
    select id from webhook_delivery where event_id >= first_uuid_at('${monthAgo(months).toISOString()}') order by event_id limit 1)`);

const partitionsOf = async (table: string): Promise<string[]> => {
  const found = await asOwner(`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = '${table}'::regclass and c.relname ~ '\\d$' order by 1`);
  return found.map(({ name }) => String(name).slice(-7));
};

const runRetention = async (): Promise<Record<RetentionStep, number>> => {
  const activities = retentionActivities({
    context: () => api.runtime.context({ kind: 'system', name: 'retention' }),
    removed: api.runtime.metrics.retentionRemoved,
  });
  const removeExpired = asActivity(activities.removeExpired);
  const removed = {} as Record<RetentionStep, number>;
  for (const step of RETENTION_STEPS) {
    let result = await removeExpired({ step });
    removed[step] = result.removed;
    for (; result.more; removed[step] += result.removed) result = await removeExpired({ step });
  }
  return removed;
};

/** A merchant whose requests emit events until `stop`, which returns how many were sent, and every failure. */
const startTraffic = async () => {
  const { key } = await makeMerchant(api.runtime);
  const endpoint = await api.call('POST', '/webhooks', {
    key,
    body: { name: 'all', url: 'http://127.0.0.1:9/hook', subscribedEvents: ['program.created'] },
  });
  const failures: string[] = [];
  let running = true;
  let events = 0;
  const emitting = async (): Promise<void> => {
    while (running) {
      const body = { name: `P ${unique()}`, commissionType: 'one_time', commissionPercent: 10 };
      const created = await api.call('POST', '/programs', { key, body });
      if (created.status === 201) events += 1;
      else failures.push(created.text);
      const listed = await api.call('GET', `/webhooks/${endpoint.data.endpoint.id}/deliveries`, { key });
      if (listed.status !== 200) failures.push(listed.text);
    }
  };
  const updating = async (): Promise<void> => {
    while (running) {
      await asApplication(
        `update webhook_delivery set updated_at = now() where endpoint_id = '${endpoint.data.endpoint.id}' and status = 'pending'`,
        `insert into webhook_attempt (delivery_id, n, suffix, trigger, url, started_at)
          select id, attempts + 1, '', 'schedule', 'https://example.com', now() from webhook_delivery
          where endpoint_id = '${endpoint.data.endpoint.id}' on conflict do nothing`,
      ).catch((error: unknown) => failures.push(String(error)));
    }
  };
  const loops = [emitting(), emitting(), emitting(), updating()];
  const stop = async () => {
    running = false;
    await Promise.all(loops);
    const [kept] = await asApplication(
      `select count(*)::int as count from webhook_delivery where endpoint_id = '${endpoint.data.endpoint.id}'`,
    );
    return { events, failures, deliveries: Number(kept?.['count']) };
  };
  const untilMore = async (): Promise<void> => {
    const before = events;
    await until('another event is sent', () => events > before);
  };
  return { stop, untilMore };
};

test('two years of months are dropped beside traffic without an error, except what is open or not expired', async () => {
  for (let months = 1; months <= MONTHS; months++) await fillMonth(months);
  await keepOpen(20, 'pending');
  await keepOpen(15, 'parked');
  const { stop, untilMore } = await startTraffic();
  await untilMore();
  const removed = await runRetention();
  await untilMore();
  const traffic = await stop();

  expect(traffic.failures).toEqual([]);
  expect(traffic.events).toBeGreaterThan(0);
  expect(traffic.deliveries).toBe(traffic.events);
  const expired = (days: number) => (months: number) => monthAgo(months - 1).getTime() <= Date.now() - days * 86_400_000;
  const past = Array.from({ length: MONTHS }, (_, index) => MONTHS - index);
  const keptOf = (days: number): string[] => past.filter((months) => months === 20 || !expired(days)(months)).map(nameOf);
  const future = (await partitionsOf('webhook_event')).filter((name) => name >= nameOf(0));
  expect(await partitionsOf('webhook_event')).toEqual([...keptOf(90), ...future]);
  expect(await partitionsOf('webhook_delivery')).toEqual([...keptOf(90), ...future]);
  expect(await partitionsOf('webhook_attempt')).toEqual([...keptOf(30), ...future]);
  const dropped = [90, 90, 30].reduce((sum, days) => sum + MONTHS - keptOf(days).length, 0);
  expect(removed).toEqual({
    parked_deliveries: 1,
    partitions: dropped,
    late_webhook_rows: 0,
    rail_notifications: 0,
    mails: 0,
    clicks: 0,
  });
  const counts = await asApplication(`select
    (select count(*)::int from webhook_delivery where status = 'pending' and event_id < first_uuid_at(now() - interval '1 year')) as pending,
    (select count(*)::int from webhook_delivery where event_id < first_uuid_at(now() - interval '1 year')) as rows`);
  expect(counts).toEqual([{ pending: 1, rows: ROWS_PER_MONTH }]);
  expect(await runRetention()).toEqual({
    parked_deliveries: 0,
    partitions: 0,
    late_webhook_rows: 0,
    rail_notifications: 0,
    mails: 0,
    clicks: 0,
  });
});

test('a month is dropped once its last open delivery has ended', async () => {
  await asApplication(`update webhook_delivery set status = 'exhausted' where status = 'pending'
    and event_id < first_uuid_at(now() - interval '1 year')`);
  expect(await runRetention()).toMatchObject({ partitions: 3 });
  expect(await partitionsOf('webhook_event')).not.toContain(nameOf(20));
});

test('while a long transaction uses a table, nothing is dropped and nobody waits for longer than the lock is tried', async () => {
  await fillMonth(10);
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { em } = api.runtime.context({ kind: 'system', name: 'test' });
  let holding: Promise<void> = Promise.resolve();
  await new Promise<void>((hasBegun) => {
    holding = em.transactional(async (inner) => {
      await inner.execute('select count(*) from webhook_delivery, webhook_event, webhook_attempt where false');
      hasBegun();
      await ended;
    });
  });
  const ctx = api.runtime.context({ kind: 'system', name: 'retention' });
  const { dropExpiredPartition } = await import('../../../src/domains/webhooks/index.ts');
  const [tried] = await Promise.all([dropExpiredPartition(ctx), asApplication('select 1 from webhook_delivery limit 1')]);
  expect(tried).toEqual({ dropped: null, busy: true });
  end();
  await holding;
  expect(await runRetention()).toMatchObject({ partitions: 3 });
});

test('rows outside of months are deleted when they have expired and are not open', async () => {
  const at = monthAgo(30).toISOString();
  const open = randomUUID();
  await asApplication(
    ...['succeeded', 'pending'].flatMap((status) => [
      `insert into webhook_event (id, merchant_id, type, schema_version, body, occurred_at)
        values (uuidv7('${at}'::timestamptz - now()), '${open}', '${status}', 2, '', '${at}')`,
      `insert into webhook_delivery (id, event_id, endpoint_id, merchant_id, slot, priority, status, created_at, updated_at)
        select uuidv7('${at}'::timestamptz - now()), id, uuidv7(), merchant_id, 0, 0, '${status}', '${at}', '${at}'
        from webhook_event where merchant_id = '${open}' and type = '${status}'`,
      `insert into webhook_attempt (delivery_id, n, suffix, trigger, url, started_at)
        select d.id, n, '', 'schedule', 'https://example.com', case n when 1 then '${at}'::timestamptz else now() end
        from webhook_delivery d, generate_series(1, 2) as n where merchant_id = '${open}' and status = '${status}'`,
    ]),
  );
  // An event, its delivery, and its attempt of back then; the attempt of today stays.
  expect(await runRetention()).toMatchObject({ late_webhook_rows: 3 });
  const [left] = await asApplication(`select
    (select count(*)::int from webhook_event where merchant_id = '${open}') as events,
    (select count(*)::int from webhook_delivery where merchant_id = '${open}' and status = 'pending') as pending`);
  expect(left).toEqual({ events: 1, pending: 1 });
});

test('notifications of providers are deleted 400 days after they were handled; unmatched ones and younger ones stay', async () => {
  await makePayout(api);
  const row = (days: number, handled: boolean): string => `insert into rail_notification
    (id, rail, external_id, idempotency_key, status, occurred_at, received_at, handled_at) values
    (uuidv7(-interval '${days} days'), 'sandbox', '${unique()}', 'k${days}${handled}', 'paid', now(), now(), ${handled ? 'now()' : 'null'})`;
  await asApplication(row(401, true), row(401, false), row(399, true));
  expect(await runRetention()).toMatchObject({ rail_notifications: 1 });
  const left = await asApplication('select idempotency_key as key from rail_notification order by 1');
  expect(left.map(({ key }) => key)).toEqual(['k399true', 'k401false']);
});

test('the application cannot delete what retention may, or shorten a period', async () => {
  for (const statement of [
    'delete from webhook_event',
    'delete from webhook_delivery',
    'delete from webhook_attempt',
    'delete from rail_notification',
    `create or replace function kept_for(name text) returns interval language sql as $$ select interval '0' $$`,
    `select is_partition_open('webhook_event', 'x', null, null)`,
  ]) {
    await expect(asApplication(statement)).rejects.toThrow(/permission denied|must be owner/);
  }
  expect(await asApplication('select delete_expired_notifications(1000000) as deleted')).toEqual([{ deleted: 0 }]);
});
