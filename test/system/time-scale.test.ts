import { firstRow, type RawBuilder, sql } from '../../src/platform/database/sql.ts';
import { BROWSER, visitorId } from '../api/tracking/support.ts';
import { useOwnApi } from '../support/api.ts';
import { apply, makePerson } from '../support/applications.ts';
import { makeAffiliateKey, makePayable, saleEvent, sendUnscreened } from '../support/factories.ts';
import { raise } from '../support/flags.ts';

/** A day lasts two seconds. */
const api = useOwnApi({ SECONDS_PER_DAY: '2' });

const context = () => api.runtime.context({ kind: 'system', name: 'test' });

/** Measures a row with the columns `since` and `until`. */
const secondsBetween = async (row: RawBuilder<{ since: string; until: string }>): Promise<number> => {
  const found = await firstRow(
    context().em,
    sql<{ seconds: number }>`select extract(epoch from "until" - since)::float8 as seconds from (${row}) as times`,
  );
  return found?.seconds ?? Number.NaN;
};

test('a hold period of 7 days lasts 14 seconds', async () => {
  const { conversionId } = await makePayable(api, { program: { commissionHoldDays: 7 } });
  const hold = sql<{ since: string; until: string }>`select created_at as since, release_at as "until" from conversion
    where id = ${conversionId}::uuid`;
  expect(await secondsBetween(hold)).toBe(14);
});

test('a flag is due after 28 seconds, its 14 days', async () => {
  const { flagId } = await raise(api, await makePayable(api));
  const review = sql<{ since: string; until: string }>`select newest_evidence_at as since, due_at as "until" from flag
    where id = ${flagId}::uuid`;
  expect(await secondsBetween(review)).toBe(28);
});

test('an application expires after 60 seconds, its 30 days', async () => {
  const { programId } = await makePayable(api);
  const { applicationId } = await apply(context(), programId, await makePerson(api.runtime));
  const wait = sql<{ since: string; until: string }>`select created_at as since, due_at as "until" from application
    where id = ${applicationId}::uuid`;
  expect(await secondsBetween(wait)).toBe(60);
});

test('a cool-down of 168 hours after changed payout details lasts 14 seconds', async () => {
  const { key, affiliateId, programId, profileId } = await makePayable(api);
  await api.call('PATCH', '/merchant', { key, body: { detailsCooldownHours: 168 } });
  const affiliateKey = await makeAffiliateKey(api.runtime, profileId);
  const changedAt = Date.now();
  await api.call('PATCH', '/me/payout-info', { key: affiliateKey, body: { paypalEmail: 'ok+changed@example.com' } });
  const refused = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  expect(refused.error.details.reason).toBe('DETAILS_JUST_CHANGED');
  const until = Date.parse(refused.error.details.detailsCooldownUntil);
  expect([until > changedAt, until <= Date.now() + 14_000]).toEqual([true, true]);
});

test('a cookie of one day attributes sales for two seconds', async () => {
  const website = 'https://shop.example';
  const { program, programId, code } = await makePayable(api, { program: { cookieDuration: 1, website } });
  const click = await api.raw('POST', '/api/tracking/click', {
    body: JSON.stringify({ programId, pageUrl: website, referralCode: code, visitorId: visitorId() }),
    headers: { origin: website, 'user-agent': BROWSER },
  });
  const { clickToken } = click.data;
  const sell = (afterMs: number) =>
    sendUnscreened(api, program, saleEvent({ clickToken, occurredAt: new Date(Date.now() + afterMs).toISOString() }));
  expect((await sell(0)).data.outcome).toBe('recorded');
  expect((await sell(60_000)).data.outcome).toBe('unattributed');
});
