import { findDestination } from '../../../src/domains/links/index.ts';
import { createLink, makeMember, WEBSITE } from '../../api/links/support.ts';
import { useTestApi } from '../../support/api.ts';

const api = useTestApi();

const find = (code: string) => findDestination(api.runtime.context({ kind: 'system', name: 'test' }), code);

test("an affiliate's own code leads to the program's page, in any case", async () => {
  const { code, affiliateId, programId, merchantId } = await makeMember(api, { ...WEBSITE, cookieDuration: 45 });
  expect(await find(code.toUpperCase())).toEqual({
    code,
    affiliateId,
    affiliateStatus: 'approved',
    programId,
    programStatus: 'active',
    merchantId,
    linkId: null,
    targetUrl: null,
    isActive: true,
    website: 'https://www.acme.example',
    landingPageUrl: null,
    cookieDuration: 45,
    requiresConsent: false,
  });
});

test('the code of a link leads to its target while it is active', async () => {
  const { key } = await makeMember(api);
  const { data: link } = await createLink(api, key, { name: 'x', destination_path: '/pricing' });
  const active = { linkId: link.id, targetUrl: 'https://www.acme.example/pricing', isActive: true };
  expect(await find(link.code)).toMatchObject(active);
  await api.call('PATCH', `/me/links/${link.id}`, { key, body: { isActive: false } });
  expect(await find(link.code)).toMatchObject({ ...active, isActive: false });
  await api.call('DELETE', `/me/links/${link.id}`, { key });
  expect(await find(link.code)).toMatchObject({ linkId: link.id, targetUrl: null, isActive: false });
});

test('a target that the program no longer allows is not used', async () => {
  const { key, merchantKey, programId } = await makeMember(api);
  const { data: link } = await createLink(api, key, { name: 'x', destination_path: '/pricing' });
  await api.call('PATCH', `/programs/${programId}`, { key: merchantKey, body: { website: 'https://moved.example' } });
  expect(await find(link.code)).toMatchObject({ targetUrl: null, website: 'https://moved.example', isActive: true });
});

test('the status of the program and of the affiliate, and the consent that the merchant requires', async () => {
  const { code, merchantKey, programId, affiliateId } = await makeMember(api);
  await api.call('POST', `/affiliates/${affiliateId}/block`, { key: merchantKey });
  await api.call('PATCH', `/programs/${programId}`, { key: merchantKey, body: { status: 'paused' } });
  await api.call('PATCH', '/merchant', { key: merchantKey, body: { trackingRequiresConsent: true } });
  expect(await find(code)).toMatchObject({ affiliateStatus: 'blocked', programStatus: 'paused', requiresConsent: true });
});

test.each(['nobody-has-this-code', '', 'ab', 'a b c', 'a\u0000bc', "' or true --", 'x'.repeat(1_000)])(
  '%j leads nowhere',
  async (code) => {
    expect(await find(code)).toBeNull();
  },
);
