import { useTestApi } from '../../support/api.ts';
import { makeProtected } from '../../support/approvals.ts';

const api = useTestApi();
const HOUR = 3_600_000;

it.each([
  ['payoutApprovalThreshold', { usd: 5_001 }],
  ['payoutApprovalThreshold', null],
  ['payoutApprovalThreshold', {}],
  ['payoutApprovalThreshold', { eur: 5_001 }],
  ['payoutApprovalThreshold', { usd: 100, jpy: 51 }],
  ['payoutDailyLimit', { usd: 90_001 }],
  ['payoutDailyLimit', { usd: 1, eur: 90_001 }],
  ['payoutDailyLimit', null],
  ['detailsCooldownHours', 47],
  ['detailsCooldownHours', 0],
])('%s: %j waits', async (setting, value) => {
  const { change, settings, open, limits, keyId } = await makeProtected(api);
  expect(await change({ [setting]: value })).toMatchObject({ status: 200, data: limits });
  expect(await settings()).toEqual(limits);
  const [found, ...others] = await open();
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    setting,
    oldValue: limits[setting as keyof typeof limits],
    newValue: value,
    status: 'pending',
    createdBy: `key:${keyId}`,
    decidedBy: null,
    decidedAt: null,
  });
  expect(Date.parse(found?.dueAt ?? '') - Date.parse(found?.createdAt ?? '')).toBe(72 * HOUR);
});

it.each([
  ['payoutApprovalThreshold', { usd: 4_999 }],
  ['payoutApprovalThreshold', { usd: 5_000, eur: 4_000 }],
  ['payoutApprovalThreshold', { jpy: 50 }],
  ['payoutDailyLimit', { usd: 1 }],
  ['detailsCooldownHours', 49],
])('%s: %j is in effect at once', async (setting, value) => {
  const { change, settings, list, limits } = await makeProtected(api);
  expect((await change({ [setting]: value })).status).toBe(200);
  expect(await settings()).toEqual({ ...limits, [setting]: value });
  expect(await list()).toEqual([]);
});

it('a setting has one pending change: the newest, and what tightens it ends it', async () => {
  const { change, settings, list, open, applyIn } = await makeProtected(api);
  await change({ payoutDailyLimit: { usd: 100_000 } });
  await change({ payoutDailyLimit: { usd: 100_000 } });
  await change({ city: 'Berlin' });
  expect((await open()).map(({ newValue }) => newValue)).toEqual([{ usd: 100_000 }]);
  await Promise.all([change({ payoutDailyLimit: { usd: 200_000 } }), change({ payoutDailyLimit: { usd: 300_000 } })]);
  expect(await open()).toHaveLength(1);
  await change({ payoutDailyLimit: { usd: 10 } });
  expect((await list()).map(({ status }) => status)).toEqual(['superseded', 'superseded', 'superseded']);
  await applyIn(100);
  expect((await settings()).payoutDailyLimit).toEqual({ usd: 10 });
});

it('setting what holds ends a pending change', async () => {
  const { change, settings, open, limits } = await makeProtected(api);
  await change({ payoutDailyLimit: null });
  expect(await open()).toHaveLength(1);
  expect((await change({ payoutDailyLimit: limits.payoutDailyLimit })).status).toBe(200);
  expect([await open(), await settings()]).toEqual([[], limits]);
});
