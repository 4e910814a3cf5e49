import {
  expireApplication,
  getApplicationSnapshot,
  noteCancellation,
  remindApplication,
} from '../../../src/domains/applications/index.ts';
import { after, DAY_MS } from '../../../src/platform/clock.ts';
import type { Context } from '../../../src/platform/context.ts';
import { useTestApi } from '../../support/api.ts';
import { makeApplication } from '../../support/applications.ts';

const api = useTestApi();
const NOW = new Date();

/** A context of a later time, and the internal events that it emits. */
const later = (days: number) => {
  const events: string[] = [];
  const ctx: Context = {
    ...api.runtime.context({ kind: 'system', name: 'test' }),
    clock: { now: () => after(NOW, days * DAY_MS) },
    internalListeners: [async (_ctx, event) => void events.push('n' in event ? `${event.type} ${event.n}` : event.type)],
  };
  return { ctx, events };
};

test('a reminder is emitted once, however often its step runs', async () => {
  const { applicationId } = await makeApplication(api);
  const { ctx, events } = later(3);
  const first = await remindApplication(ctx, { applicationId, reminder: 1 });
  expect(first).toMatchObject({ status: 'pending', reminders: 1 });
  expect(await remindApplication(ctx, { applicationId, reminder: 1 })).toEqual(first);
  await remindApplication(ctx, { applicationId, reminder: 2 });
  expect(events).toEqual(['application.reminder 1', 'application.reminder 2']);
});

test('nobody is reminded of a decided application', async () => {
  const { applicationId, key } = await makeApplication(api);
  await api.call('POST', `/applications/${applicationId}/decline`, { key });
  const { ctx, events } = later(3);
  expect(await remindApplication(ctx, { applicationId, reminder: 1 })).toMatchObject({ reminders: 0 });
  expect(events).toEqual([]);
});

test('an application expires at its deadline and not before, once', async () => {
  const { applicationId, key } = await makeApplication(api);
  const early = later(29.99);
  expect(await expireApplication(early.ctx, { applicationId })).toMatchObject({ status: 'pending' });
  const due = later(30.01);
  const expired = await expireApplication(due.ctx, { applicationId });
  expect(expired).toMatchObject({ status: 'declined', expired: true });
  expect(await expireApplication(due.ctx, { applicationId })).toEqual(expired);
  expect([...early.events, ...due.events]).toEqual(['application.decided']);
  const read = await api.call('GET', `/applications/${applicationId}`, { key });
  expect(read.data).toMatchObject({ status: 'declined', note: 'expired' });
});

test('a decision of the merchant is not overruled by the deadline', async () => {
  const { applicationId, key } = await makeApplication(api);
  await api.call('POST', `/applications/${applicationId}/approve`, { key });
  const { ctx, events } = later(31);
  expect(await expireApplication(ctx, { applicationId })).toMatchObject({ status: 'approved', expired: false });
  expect(events).toEqual([]);
});

test('the steps of a missing application are 404', async () => {
  const { ctx } = later(0);
  const applicationId = api.runtime.ids.next();
  const expected = { code: 'NOT_FOUND' };
  await expect(getApplicationSnapshot(ctx, applicationId)).rejects.toMatchObject(expected);
  await expect(expireApplication(ctx, { applicationId })).rejects.toMatchObject(expected);
  await expect(noteCancellation(ctx, { applicationId })).rejects.toMatchObject(expected);
});
