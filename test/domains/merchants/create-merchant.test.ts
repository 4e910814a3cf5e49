import { createMerchant } from '../../../src/domains/merchants/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';

const api = useTestApi();

const system = { kind: 'system', name: 'test' } as const;

test('SE2: new merchants have the tier of the installation', async () => {
  const runtime = { ...api.runtime.context(system), settings: { ...api.runtime.settings, defaultTier: 'growth' as const } };
  const { billingTier } = await createMerchant(runtime, { companyName: 'Acme', email: 'tier@acme.example' });
  expect(billingTier).toBe('growth');
});

test('a merchant created by the operator can be used with a key', async () => {
  const merchant = await createMerchant(api.runtime.context(system), { companyName: ' Acme ', email: ' Ops@Acme.Example ' });
  expect(merchant).toMatchObject({ companyName: 'Acme', email: 'ops@acme.example' });
  const { key } = await makeKey(api.runtime, { ownerId: merchant.id });
  expect((await api.call('GET', '/merchant', { key })).data).toMatchObject({ id: merchant.id, companyName: 'Acme' });
});

test('IN12: of two merchants with one email address the second is refused, also at the same time; names may be equal', async () => {
  const create = (email: string) => createMerchant(api.runtime.context(system), { companyName: 'Twin', email });
  const made = await Promise.allSettled(['twin@example.com', 'Twin@Example.com'].map(create));
  expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect(create(' twin@example.com')).rejects.toThrow(/email is that of merchant [0-9a-f-]{36} already/);
  await expect(create('other@example.com')).resolves.toMatchObject({ companyName: 'Twin' });
});

test.each([
  ['companyName', { companyName: ' ', email: 'ops@acme.example' }],
  ['companyName', { companyName: 'two\nlines', email: 'ops@acme.example' }],
  ['email', { companyName: 'Acme', email: 'ops' }],
])('an invalid %s is reported', async (path, input) => {
  await expect(createMerchant(api.runtime.context(system), input)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: { issues: [expect.objectContaining({ path })] },
  });
});
