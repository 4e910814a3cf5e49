import { approveApplication } from '../../../src/domains/applications/use-cases/approve-application.ts';
import { eraseProfile } from '../../../src/domains/me/erasure-steps.ts';
import { type Actor, type Context, inTransaction } from '../../../src/platform/context.ts';
import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeApplication, type TestApplication } from '../../support/applications.ts';
import { until } from '../../support/system.ts';

const api = useTestApi();
const system = () => api.runtime.context({ kind: 'system', name: 'test' });

/** What a merchant finds of the person, in the membership that the approval made. */
const copiesOf = ({ affiliateId }: TestApplication) =>
  firstRow(
    system().em,
    sql<{ sortName: string; searchText: string }>`select sort_name as "sortName", search_text as "searchText" from affiliate
      where id = ${affiliateId}::uuid`,
  );

/** Until another transaction waits for a lock of this one. Activity would be that of the first read; locks are not. */
const untilSomebodyWaits = ({ em }: Context) =>
  until(
    () =>
      firstRow(
        em,
        sql<{ waiting: boolean }>`select exists (
          select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))) as waiting`,
      ),
    (found) => found?.waiting === true,
  );

const merchantActor = (application: TestApplication): Actor => ({
  kind: 'key',
  keyType: 'merchant',
  keyId: application.keyId,
  ownerId: application.merchantId,
  scopes: [],
});

it('an erasure waits for an approval that has begun, and erases the membership that it makes', async () => {
  const application = await makeApplication(api);
  let erasing: Promise<unknown> | undefined;
  await inTransaction(api.runtime.context(merchantActor(application)), async (ctx) => {
    await approveApplication(ctx, { id: application.applicationId });
    erasing = eraseProfile(system(), application.email);
    await untilSomebodyWaits(ctx);
  });
  expect(await erasing).toMatchObject({ memberships: 1 });
  expect(await copiesOf(application)).toMatchObject({ sortName: '', searchText: expect.not.stringContaining(application.email) });
});

it('an approval waits for an erasure that has begun, and copies nothing of the person', async () => {
  const application = await makeApplication(api);
  let approving: Promise<{ status: number }> | undefined;
  await inTransaction(system(), async (ctx) => {
    await eraseProfile(ctx, application.email);
    approving = api.call('POST', `/applications/${application.applicationId}/approve`, { key: application.key });
    await untilSomebodyWaits(ctx);
  });
  expect((await approving)?.status).toBe(200);
  expect(await copiesOf(application)).toMatchObject({ searchText: expect.not.stringContaining(application.email) });
});
