import { randomUUID } from 'node:crypto';
import { NOTIFICATIONS_PER_WEEK } from '../../../src/contracts/limits.ts';
import { useTestApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { act, fieldError, makeFile, makeOwner, makeResource } from './support.ts';

const api = useTestApi();

const notificationsOf = (merchantId: string) =>
  rowsOf(api, 'select resource_id as "resourceId" from resource_notification where merchant_id = ?', [merchantId]);

it('publishes resources of every kind, and the second call changes nothing', async () => {
  const owner = await makeOwner(api);
  for (const id of [
    await makeResource(api, owner),
    await makeResource(api, owner, 'collection'),
    await makeResource(api, owner, 'swipe_copy'),
    await makeResource(api, owner, 'external_link'),
    await makeFile(api, owner),
  ]) {
    const first = await act(api, owner, id, 'publish');
    expect(first).toMatchObject({
      status: 200,
      data: { resource: { id, status: 'published' }, notification: { requested: false } },
    });
    expect(first.data.resource.published_at).toBe(first.data.resource.updated_at);
    expect((await act(api, owner, id, 'publish', { notify_affiliates: false })).data).toEqual(first.data);
  }
  expect(await notificationsOf(owner.merchantId)).toEqual([]);
});

it('takes null, which the published Python client sends, for no notification', async () => {
  const owner = await makeOwner(api);
  const published = await act(api, owner, await makeResource(api, owner), 'publish', { notify_affiliates: null });
  expect(published).toMatchObject({ status: 200, data: { notification: { requested: false } } });
});

it('brings an archived resource back', async () => {
  const owner = await makeOwner(api);
  const id = await makeResource(api, owner);
  await act(api, owner, id, 'archive');
  expect((await act(api, owner, id, 'publish')).data.resource.status).toBe('published');
});

it('notifies affiliates when asked to', async () => {
  const owner = await makeOwner(api);
  const resourceId = await makeResource(api, owner);
  expect((await act(api, owner, resourceId, 'publish', { notify_affiliates: true })).data.notification).toEqual({
    requested: true,
    accepted: true,
    error_code: null,
    message: null,
  });
  expect(await notificationsOf(owner.merchantId)).toEqual([{ resourceId }]);
});

it.each(['free', 'starter', 'growth', 'pro'] as const)(
  'in the tier %s, a notification beyond the limit is refused, and the resource is published',
  async (tier) => {
    const owner = await makeOwner(api, tier);
    const ids = [];
    for (let n = 0; n < NOTIFICATIONS_PER_WEEK[tier] + 2; n++) ids.push(await makeResource(api, owner));
    const published = await Promise.all(ids.map((id) => act(api, owner, id, 'publish', { notify_affiliates: true })));
    const refused = published.filter(({ data }) => !data.notification.accepted);
    expect(refused).toHaveLength(2);
    for (const { status, data } of refused) {
      expect({ status, data }).toMatchObject({
        status: 200,
        data: {
          resource: { status: 'published' },
          notification: {
            requested: true,
            accepted: false,
            error_code: 'NOTIFICATION_LIMIT_REACHED',
            message: expect.any(String),
          },
        },
      });
    }
    expect(await notificationsOf(owner.merchantId)).toHaveLength(NOTIFICATIONS_PER_WEEK[tier]);
  },
);

it('affiliates of an archived program are not notified', async () => {
  const owner = await makeOwner(api);
  const id = await makeResource(api, owner);
  await api.call('DELETE', `/programs/${owner.programId}`, { key: owner.key });
  const { data } = await act(api, owner, id, 'publish', { notify_affiliates: true });
  expect(data.notification).toMatchObject({ accepted: false, error_code: 'PROGRAM_INACTIVE' });
});

it('a retry with the same Idempotency-Key notifies once', async () => {
  const owner = await makeOwner(api);
  const id = await makeResource(api, owner);
  const headers = { 'idempotency-key': randomUUID() };
  const body = { program_id: owner.programId, notify_affiliates: true };
  const send = () => api.call('POST', `/marketing-resources/${id}/publish`, { key: owner.key, body, headers });
  const first = await send();
  expect((await send()).text).toBe(first.text);
  expect(await notificationsOf(owner.merchantId)).toHaveLength(1);
});

it('responds 422 for fields that are missing or wrong', async () => {
  const owner = await makeOwner(api);
  const id = await makeResource(api, owner);
  expect(await act(api, owner, id, 'publish', { program_id: undefined })).toMatchObject(fieldError('program_id'));
  expect(await act(api, owner, id, 'publish', { notify_affiliates: 'yes' })).toMatchObject(fieldError('notify_affiliates'));
});
