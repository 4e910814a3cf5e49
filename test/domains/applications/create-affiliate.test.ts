import { type CreateAffiliateInput, createAffiliate } from '../../../src/domains/applications/use-cases/create-affiliate.ts';
import { forkOf } from '../../../src/platform/database/orm.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliateKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';

const api = useTestApi();

const make = (input: Partial<CreateAffiliateInput> & { programId: string }) =>
  createAffiliate(api.runtime.context({ kind: 'system', name: 'test' }), {
    email: `a-${unique()}@example.com`,
    name: 'Ada Byron',
    source: 'api',
    ...input,
  });

const makeOwn = async () => {
  const merchant = await makeMerchant(api.runtime);
  return { ...merchant, ...(await makeProgram(api, merchant.key)) };
};

const emittedEvents = async (merchantId: string) => {
  const found = await rows(
    forkOf(api.runtime.orm),
    sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event
      where merchant_id = ${merchantId}::uuid and type like 'affiliate.%' order by id`,
  );
  return found.map((row) => JSON.parse(row.body));
};

test('a new affiliate is approved, and emits affiliate.joined with the application and affiliate.approved, as REST returns it', async () => {
  const { merchantId, key, programId } = await makeOwn();
  const { affiliateId } = await make({ programId, source: 'invite' });
  const { data } = await api.call('GET', `/affiliates/${affiliateId}`, { key });
  expect(data).toMatchObject({ status: 'approved', source: 'invite', programId });
  // Details of the payee are told to those who ask for one affiliate.
  const { payoutDetails: _, ...listed } = data;
  const { name, email, userId } = data;
  const application = { affiliateId, programId, userId, name, email, source: 'invite', status: 'pending', riskNotes: [] };
  expect(await emittedEvents(merchantId)).toEqual([
    expect.objectContaining({ merchantId, programId, type: 'affiliate.joined', data: expect.objectContaining(application) }),
    expect.objectContaining({ merchantId, programId, type: 'affiliate.approved', data: listed }),
  ]);
});

test('IN13: a new affiliate has a first link with their code, which leads to the default page of the program', async () => {
  const { programId } = await makeOwn();
  const { affiliateId, profileId, code } = await make({ programId });
  const links = await api.call('GET', '/me/links', { key: await makeAffiliateKey(api.runtime, profileId) });
  expect(links.data).toMatchObject([{ affiliateId, name: 'Default link', targetUrl: null, isActive: true }]);
  expect(links.data[0].code).toBe(code);
});

test('a person has one profile for all programs, matched by email in any case', async () => {
  const [a, b] = [await makeOwn(), await makeOwn()];
  const email = `a-${unique()}@Example.com`;
  const first = await make({ programId: a.programId, email });
  const second = await make({ programId: b.programId, email: email.toUpperCase(), name: 'Other Name' });
  expect(second.profileId).toBe(first.profileId);
  expect(second.affiliateId).not.toBe(first.affiliateId);
  const { data } = await api.call('GET', `/affiliates/${second.affiliateId}`, { key: b.key });
  expect(data).toMatchObject({ email: email.toLowerCase(), name: 'Ada Byron' });
});

test('adding an existing affiliate again returns it and emits nothing', async () => {
  const { merchantId, programId } = await makeOwn();
  const email = `a-${unique()}@example.com`;
  const first = await make({ programId, email });
  expect(await make({ programId, email, code: `other-${unique()}` })).toEqual(first);
  expect(await emittedEvents(merchantId)).toHaveLength(2);
});

test('concurrent requests for one person create one affiliate', async () => {
  const { key, programId } = await makeOwn();
  const email = `a-${unique()}@example.com`;
  const made = await Promise.all(Array.from({ length: 6 }, () => make({ programId, email })));
  expect(new Set(made.map((one) => one.affiliateId)).size).toBe(1);
  expect((await api.call('GET', '/affiliates', { key })).meta.total).toBe(1);
});

test('IN13: a code that nobody chose is made from the name', async () => {
  const { programId } = await makeOwn();
  const codes = await Promise.all(Array.from({ length: 4 }, async () => (await make({ programId, name: 'Ada Byron' })).code));
  expect(new Set(codes).size).toBe(4);
  for (const code of codes) expect(code).toMatch(/^ada\d{2,6}$/);
});

test('a requested code is reserved in lower case and is unique across programs', async () => {
  const [a, b] = [await makeOwn(), await makeOwn()];
  const code = `Code_${unique()}`;
  expect((await make({ programId: a.programId, code })).code).toBe(code.toLowerCase());
  await expect(make({ programId: b.programId, code: code.toUpperCase() })).rejects.toMatchObject({
    code: 'CONFLICT',
    details: { reason: 'CODE_TAKEN', code: code.toLowerCase() },
  });
});

test('of concurrent requests for one code exactly one succeeds, and the others are rolled back', async () => {
  const { key, programId } = await makeOwn();
  const code = `race-${unique()}`;
  const made = await Promise.allSettled(Array.from({ length: 6 }, () => make({ programId, code })));
  expect(made.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  expect((await api.call('GET', '/affiliates', { key })).meta.total).toBe(1);
});

test('payout details are stored encrypted and kept when the person is added again', async () => {
  const [a, b] = [await makeOwn(), await makeOwn()];
  const email = `a-${unique()}@example.com`;
  const { profileId } = await make({ programId: a.programId, email, payout: { paypalEmail: 'first@pay.example' } });
  const read = async () => {
    const [row] = await rows(
      forkOf(api.runtime.orm),
      sql<{ stored: string; method: string }>`select row_to_json(p)::text as stored, payout_method as method
        from affiliate_profile p where id = ${profileId}::uuid`,
    );
    return row;
  };
  const before = await read();
  expect(before?.method).toBe('paypal');
  expect(before?.stored).not.toContain('first@pay.example');
  await make({ programId: b.programId, email, payout: { paypalEmail: 'thief@pay.example' } });
  expect(await read()).toEqual(before);
});

test('404 for a program that does not exist', async () => {
  await expect(make({ programId: '0198f1c2-7a4e-7c31-9f0a-000000000000' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test.each<[string, Partial<CreateAffiliateInput>]>([
  ['email', { email: 'ada' }],
  ['name', { name: '' }],
  ['code', { code: 'a b' }],
  ['code', { code: 'Admin' }],
  ['payout.bankIban', { payout: { bankIban: 'DE00370400440532013000', bankAccountHolder: 'Ada' } }],
])('an invalid %s is reported', async (path, wrong) => {
  const { programId } = await makeOwn();
  await expect(make({ programId, ...wrong })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { issues: [expect.objectContaining({ path })] },
  });
});
