import { forkOf } from '../../../src/platform/database/orm.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, unique } from '../../support/factories.ts';

const api = useTestApi();

const minimal = { name: 'Acme', commissionType: 'one_time', commissionPercent: 10 };

/** Events of a merchant in the order in which they happened. */
const announced = async (merchantId: string) => {
  const found = await rows(
    forkOf(api.runtime.orm),
    sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event
      where merchant_id = ${merchantId}::uuid order by id`,
  );
  return found.map((row) => JSON.parse(row.body));
};

test('a new program is announced as REST shows it', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: minimal });
  expect(await announced(merchantId)).toEqual([
    expect.objectContaining({ type: 'program.created', merchantId, programId: made.data.id, data: made.data }),
  ]);
});

test('a change is announced with the names of what changed', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: minimal });
  const body = { name: 'New', commissionPercent: 10, status: 'paused', description: null };
  const changed = await api.call('PATCH', `/programs/${made.data.id}`, { key, body });
  const event = (await announced(merchantId)).at(-1);
  expect(event).toMatchObject({ type: 'program.updated', programId: made.data.id });
  expect(event.data).toEqual({ ...changed.data, updatedFields: ['name', 'status'] });
});

test('what follows from a change is named too', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: minimal });
  await api.call('PATCH', `/programs/${made.data.id}`, { key, body: { commissionType: 'recurring_limited' } });
  const event = (await announced(merchantId)).at(-1);
  expect(event.data.updatedFields.toSorted()).toEqual(['commissionLimitMonths', 'commissionType']);
});

test('archiving is a change of status, once', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const made = await api.call('POST', '/programs', { key, body: minimal });
  await api.call('DELETE', `/programs/${made.data.id}`, { key });
  await api.call('DELETE', `/programs/${made.data.id}`, { key });
  const events = await announced(merchantId);
  expect(events.map((event) => event.type)).toEqual(['program.created', 'program.updated']);
  expect(events[1].data).toMatchObject({ status: 'archived', updatedFields: ['status'] });
});

test('a change that changes nothing, or is refused, is not announced', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const portalSlug = `p-${unique()}`;
  await api.call('POST', '/programs', { key, body: { ...minimal, portalSlug } });
  const made = await api.call('POST', '/programs', { key, body: minimal });
  const before = (await announced(merchantId)).length;
  await api.call('PATCH', `/programs/${made.data.id}`, { key, body: { name: 'Acme' } });
  await api.call('PATCH', `/programs/${made.data.id}`, { key, body: { portalSlug } });
  await api.call('POST', '/programs', { key, body: { ...minimal, portalSlug }, headers: { 'idempotency-key': 'x' } });
  expect(await announced(merchantId)).toHaveLength(before);
});
