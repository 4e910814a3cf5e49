import { checkPortalDomains } from '../../../src/domains/programs/index.ts';
import { after, DAY_MS, HOUR_MS } from '../../../src/platform/clock.ts';
import { useOwnApi } from '../../support/api.ts';
import { usePortalDomains } from '../../support/portal-domains.ts';

const api = useOwnApi({ PUBLIC_URL: 'https://refer.tributary.example' });
const { dns, makeVerified } = usePortalDomains(api);

/** Looks for the records that are due at a time. */
const checkAt = (at: Date) =>
  checkPortalDomains({ ...api.runtime.context({ kind: 'system', name: 'test' }), clock: { now: () => at } });

test('a record is looked for once a day, and seven days without it end the name', async () => {
  const { read, record, key, programId } = await makeVerified();
  const days = (n: number): Date => after(new Date(), n * DAY_MS + HOUR_MS);
  await dns.set(record.name, []);
  await checkAt(after(new Date(), HOUR_MS));
  expect((await read()).domain.missingSince).toBeNull();
  await checkAt(days(1));
  const { missingSince } = (await read()).domain;
  expect(missingSince).not.toBeNull();
  await dns.set(record.name, [record.content]);
  await checkAt(days(2));
  expect((await read()).domain).toMatchObject({ isVerified: true, missingSince: null });
  await dns.set(record.name, ['something else']);
  await checkAt(days(3));
  await dns.set(record.name, 'fails');
  await checkAt(days(11));
  expect((await read()).domain).toMatchObject({ isVerified: true });
  await dns.set(record.name, []);
  await Promise.all([checkAt(days(12)), checkAt(days(12))]);
  expect((await read()).domain).toMatchObject({ isVerified: false, verifiedAt: null });
  const { data } = await api.call('GET', '/audit-log', { key, query: { action: 'program.updated' } });
  const ended = data.filter(({ changes }: { changes: { field: string; new: unknown }[] }) =>
    changes.some(({ field, new: next }) => field === 'isPortalDomainVerified' && next === false),
  );
  expect(ended).toMatchObject([{ resourceId: programId }]);
  await dns.set(record.name, [record.content]);
  await checkAt(days(20));
  expect((await read()).domain.isVerified).toBe(false);
});
