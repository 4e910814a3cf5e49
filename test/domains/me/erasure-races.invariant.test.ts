import { approveApplication } from '../../../src/domains/applications/use-cases/application.ts';
import { raiseFlag } from '../../../src/domains/flags/index.ts';
import { eraseProfile } from '../../../src/domains/me/erase-profile.steps.ts';
import { lockPayout } from '../../../src/domains/payouts/machine/load.ts';
import { type Actor, type Context, inTransaction } from '../../../src/platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { claim, makeInviter, makePerson } from '../../api/invites/support.ts';
import { type TestResponse, useOwnApi } from '../../support/api.ts';
import { makeApplication, type TestApplication } from '../../support/applications.ts';
import { makePayout } from '../../support/payouts.ts';
import { until } from '../../support/until.ts';
import { emailOf } from '../notifications/support.ts';

const api = useOwnApi();
const system = () => api.runtime.context({ kind: 'system', name: 'test' });

const approve = ({ applicationId, key }: TestApplication) => api.call('POST', `/applications/${applicationId}/approve`, { key });

const conflictOf = (reason: string) => ({ status: 409, error: { code: 'CONFLICT', details: { reason } } });

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
    'a transaction waits for a lock of this one',
    () =>
      firstRow(
        em,
        sql<{ waiting: boolean }>`select exists (
          select from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))) as waiting`,
      ),
    (found) => found?.waiting === true,
  );

/** Answers a request that waits for an erasure, which ends meanwhile. */
const whileErasing = async (email: string, send: () => Promise<TestResponse>): Promise<TestResponse> => {
  const sent = await inTransaction(system(), async (ctx) => {
    await eraseProfile(ctx, email);
    const waiting = send();
    await untilSomebodyWaits(ctx);
    return { waiting };
  });
  return sent.waiting;
};

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

it('an approval waits for an erasure that has begun, and is refused: the application is withdrawn', async () => {
  const application = await makeApplication(api);
  const approving = await whileErasing(application.email, () => approve(application));
  expect(approving).toMatchObject(conflictOf('ALREADY_DECIDED'));
  expect(approving.error.details.status).toBe('withdrawn');
  expect(await copiesOf(application)).toBeNull();
});

it('approve against erase: one of them decides, and the merchant finds nothing of the person in either case', async () => {
  for (let round = 0; round < 15; round++) {
    const application = await makeApplication(api);
    const [approved, erased] = await Promise.all([approve(application), eraseProfile(system(), application.email)]);
    const isApproved = approved.status === 200;
    expect([isApproved ? undefined : approved.error.details.reason, erased?.applications, erased?.memberships]).toEqual(
      isApproved ? [undefined, 0, 1] : ['ALREADY_DECIDED', 1, 0],
    );
    const shown = await api.call('GET', `/applications/${application.applicationId}`, { key: application.key });
    expect(shown.data).toMatchObject({ status: isApproved ? 'approved' : 'withdrawn', name: null });
    expect(JSON.stringify([shown.data, await copiesOf(application)])).not.toContain(application.email);
  }
});

it('what the person sends while an erasure has begun joins no program: an application, and the claim of an invite', async () => {
  const { programId, invite } = await makeInviter(api, { marketplaceStatus: 'public' });
  const [ada, joan, mary] = [await makePerson(api), await makePerson(api), await makePerson(api)];
  const apply = () => api.call('POST', `/marketplace/apply/${programId}`, { key: ada.key });
  expect((await whileErasing(ada.email, apply)).status).toBe(404);
  const [open, addressed] = [await invite(), await invite({ email: mary.email })];
  expect((await whileErasing(joan.email, () => claim(api, joan, open))).status).toBe(404);
  expect(await whileErasing(mary.email, () => claim(api, mary, addressed))).toMatchObject(conflictOf('INVITE_EMAIL_MISMATCH'));
  // A process may know their keys for some seconds more.
  for (const { key } of [ada, joan, mary]) {
    expect([401, 404]).toContain((await api.call('POST', `/marketplace/apply/${programId}`, { key })).status);
  }
  const left = sql`select status from application where program_id = ${programId}::uuid`;
  expect(await rows(system().em, left)).toEqual([]);
  expect((await api.call('GET', `/invites/${open}`)).data.status).toBe('open');
});

it('an erasure waits for a payout that ends, also where both write to its adjustments and flags', async () => {
  const { merchantId, programId, affiliateId, profileId, conversionId, payoutId } = await makePayout(api);
  const email = await emailOf(api.runtime, profileId);
  const finding = {
    merchantId,
    programId,
    affiliateId,
    type: 'manual_review' as const,
    details: {},
    conversionIds: [conversionId],
  };
  const { flagId } = await raiseFlag(system(), finding);
  await execute(system().em, sql`update payout set notes = 'For Ada' where id = ${payoutId}::uuid`);
  let erasing: Promise<unknown> | undefined;
  await inTransaction(system(), async (ctx) => {
    await lockPayout(ctx, payoutId);
    erasing = eraseProfile(system(), email);
    await untilSomebodyWaits(ctx);
    await execute(ctx.em, sql`update flag set note = 'Ended' where id = ${flagId}::uuid`);
  });
  expect(await erasing).toMatchObject({ memberships: 1 });
});
