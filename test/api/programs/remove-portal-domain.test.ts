import { useTestApi } from '../../support/api.ts';
import { makeMerchant } from '../../support/factories.ts';
import { usePortalDomains } from '../../support/portal-domains.ts';

const api = useTestApi({ PUBLIC_URL: 'https://refer.tributary.example' });
const { makeVerified } = usePortalDomains(api);

test('a domain ends at once; without one, nothing changes', async () => {
  const { remove, read, verify, portalSlug } = await makeVerified();
  expect((await remove()).data.domain).toBeNull();
  expect((await remove()).status).toBe(200);
  expect((await read()).joinUrl).toBe(`https://refer.tributary.example/join/${portalSlug}`);
  expect((await verify()).status).toBe(404);
});

test('the program of another merchant is out of reach', async () => {
  const { remove, read } = await makeVerified();
  const stranger = await makeMerchant(api.runtime);
  expect((await remove(stranger.key)).status).toBe(403);
  expect((await read()).domain.isVerified).toBe(true);
});
