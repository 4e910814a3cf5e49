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

test('two merchants may have the same name and email', async () => {
  const input = { companyName: 'Twin', email: 'twin@example.com' };
  const [a, b] = await Promise.all([1, 2].map(() => createMerchant(api.runtime.context(system), input)));
  expect(a?.id).not.toBe(b?.id);
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
