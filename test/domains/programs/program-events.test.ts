import { forkOf } from '../../../src/platform/database/orm.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, unique } from '../../support/factories.ts';

const api = useTestApi();

const minimal = { name: 'Acme', commissionType: 'one_time', commissionPercent: 10 };

/** Events of a merchant in the order in which they were emitted. */
const emittedEvents = async (merchantId: string) => {
  const found = await rows(
    forkOf(api.runtime.orm),
    sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event
      where merchant_id = ${merchantId}::uuid order by id`,
  );
  return found.map((row) => JSON.parse(row.body));
};

test('creating a program emits the program as REST returns it', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: minimal });
  expect(await emittedEvents(merchantId)).toEqual([
    expect.objectContaining({ type: 'program.created', merchantId, programId: made.data.id, data: made.data }),
  ]);
});

test('an update emits the names of the changed fields', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: minimal });
  const body = { name: 'New', commissionPercent: 10, status: 'paused', description: null };
  const changed = await api.call('PATCH', `/programs/${made.data.id}`, { key, body });
  const event = (await emittedEvents(merchantId)).at(-1);
  expect(event).toMatchObject({ type: 'program.updated', programId: made.data.id });
  expect(event.data).toEqual({ ...changed.data, updatedFields: ['name', 'status'] });
});

test('fields that change as a consequence are named too', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: minimal });
  await api.call('PATCH', `/programs/${made.data.id}`, { key, body: { commissionType: 'recurring_limited' } });
  const event = (await emittedEvents(merchantId)).at(-1);
  expect(event.data.updatedFields.toSorted()).toEqual(['commissionLimitMonths', 'commissionType']);
});

test('archiving emits one status change', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: minimal });
  await api.call('DELETE', `/programs/${made.data.id}`, { key });
  await api.call('DELETE', `/programs/${made.data.id}`, { key });
  const events = await emittedEvents(merchantId);
  expect(events.map((event) => event.type)).toEqual(['program.created', 'program.updated']);
  expect(events[1].data).toMatchObject({ status: 'archived', updatedFields: ['status'] });
});

test('an update that changes nothing or fails emits nothing', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const portalSlug = `p-${unique()}`;
  await api.call('POST', '/programs', { key, body: { ...minimal, portalSlug } });
  const made = await api.call('POST', '/programs', { key, body: minimal });
  const before = (await emittedEvents(merchantId)).length;
  await api.call('PATCH', `/programs/${made.data.id}`, { key, body: { name: 'Acme' } });
  await api.call('PATCH', `/programs/${made.data.id}`, { key, body: { portalSlug } });
  await api.call('POST', '/programs', { key, body: { ...minimal, portalSlug }, headers: { 'idempotency-key': 'x' } });
  expect(await emittedEvents(merchantId)).toHaveLength(before);
});
