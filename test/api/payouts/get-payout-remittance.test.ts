import { erasePerson } from '../../../src/domains/me/index.ts';
import { openRemittance } from '../../../src/domains/payouts/index.ts';
import { remittancePage } from '../../../src/domains/payouts/remittance/remittance-page.rules.ts';
import { after, HOUR_MS, MINUTE_MS } from '../../../src/platform/clock.ts';
import { anyAddress, useOwnApi } from '../../support/api.ts';
import { makeMerchant, sendSale } from '../../support/factories.ts';
import { MISSING_ID, makeManualPayout } from '../../support/payouts.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useOwnApi();

const open = async (url: string) => {
  const { pathname } = new URL(url);
  return api.app.inject({ method: 'GET', url: pathname, remoteAddress: anyAddress() });
};

const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** A payout that was paid, of two commissions and an adjustment. */
const makePaid = async () => {
  const made = await makeManualPayout(api);
  const { key, affiliateId, programId, program, code } = made;
  await made.act('cancel');
  await sendSale(api, program, { saleId: 'order <b>1042</b>', amount: 10_000, referralCode: code });
  const bonus = { amount: 500, kind: 'bonus', note: 'For our records only' };
  await api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: bonus });
  const payoutId: string = (await api.call('POST', '/payouts', { key, body: { affiliateId, programId } })).data.id;
  const act = (verb: string, body?: unknown) => api.call('POST', `/payouts/${payoutId}/${verb}`, { key, body });
  await act('process');
  await act('complete', { bankReference: 'SCT <4711>', executedAt: `${YESTERDAY}T09:00:00.000Z` });
  const remittance = () => api.call('GET', `/payouts/${payoutId}/remittance`, { key });
  return { ...made, payoutId, act, remittance };
};

it('the page names commissions, adjustments, the sum, the masked destination and the reference', async () => {
  const { remittance, payoutId, code, programName, key } = await makePaid();
  const { paymentReference } = (await api.call('GET', `/payouts/${payoutId}`, { key })).data;
  const { status, data } = await remittance();
  expect(status).toBe(200);
  const page = await open(data.url);
  expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers).toMatchObject({
    'cache-control': 'private, no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox$/,
    ),
  });
  const text = page.body.replace(/<style>.*?<\/style>/s, '').replace(/<[^>]+>/g, '|');
  for (const part of [
    paymentReference,
    payoutId,
    code,
    programName,
    '45.00 USD',
    YESTERDAY,
    '****3000',
    'SCT &lt;4711&gt;',
    'Bonus',
    '5.00',
  ])
    expect(text).toContain(part);
  expect(text).toContain('order &lt;b&gt;1042&lt;/b&gt;');
  expect(text).toMatch(/Commissions \(2\)\|+40\.00/);
  expect(text).toMatch(/Adjustments \(1\)\|+5\.00/);
  expect(text).not.toMatch(/For our records only|DE89/);
});

it('the page has the same bytes whenever it is opened, also after the merchant and the program got another name', async () => {
  const { remittance, key, programId } = await makePaid();
  const [first, twice] = await Promise.all([open((await remittance()).data.url), open((await remittance()).data.url)]);
  expect(first.body).toBe(twice.body);
  await api.call('PATCH', '/merchant', { key, body: { companyName: 'Another Company', city: 'Elsewhere' } });
  await api.call('PATCH', `/programs/${programId}`, { key, body: { name: 'Another Program' } });
  expect((await open((await remittance()).data.url)).body).toBe(first.body);
});

it('409 NOT_COMPLETED unless the payout is paid; a page of a payment that came back is not opened any more', async () => {
  const { act, remittance, payoutId, key } = await makePaid();
  const { url } = (await remittance()).data;
  expect((await open(url)).statusCode).toBe(200);
  await act('return', { note: 'Account closed' });
  expect((await remittance()).error.details).toEqual({ reason: 'NOT_COMPLETED', status: 'failed' });
  const page = await open(url);
  expect([page.statusCode, page.headers['content-type']]).toEqual([409, 'text/html; charset=utf-8']);
  const retry = await api.call('POST', `/payouts/${payoutId}/retry`, { key });
  const pending = await api.call('GET', `/payouts/${retry.data.id}/remittance`, { key });
  expect(pending.error.details).toEqual({ reason: 'NOT_COMPLETED', status: 'pending' });
});

it('403 for a payout of another merchant, 404 for a missing one', async () => {
  const { payoutId } = await makePaid();
  const { key } = await makeMerchant(api.runtime);
  expect((await api.call('GET', `/payouts/${payoutId}/remittance`, { key })).status).toBe(403);
  expect((await api.call('GET', `/payouts/${MISSING_ID}/remittance`, { key })).status).toBe(404);
});

it('a URL ends after ten minutes and with its key, and no other text is one', async () => {
  const { remittance, keyId, key } = await makePaid();
  const { url, expiresAt } = (await remittance()).data;
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(10 * MINUTE_MS);
  const token = new URL(url).pathname.split('/').at(-1) ?? '';
  const context = api.runtime.context({ kind: 'system', name: 'test' });
  const later = { ...context, clock: { now: () => after(new Date(), HOUR_MS) } };
  await expect(openRemittance(later, token)).rejects.toThrow('The URL has expired');
  for (const text of [`x${token}`, token.slice(0, -1), 'x', `${token}.x`]) {
    const page = await open(url.replace(token, text));
    expect([text, page.statusCode]).toEqual([text, 404]);
  }
  await api.call('DELETE', `/auth/keys/${keyId}`, { key });
  await rowsOf(api, 'update api_key set revoked_at = now() where id = ? returning id', [keyId]);
  expect((await open(url)).statusCode).toBe(403);
});

it('after an erasure the page names nobody and no destination, also one that is opened first after it', async () => {
  for (const isOpenedBefore of [true, false]) {
    const { remittance, profileId, code, payoutId } = await makePaid();
    const { url } = (await remittance()).data;
    if (isOpenedBefore) expect((await open(url)).body).toMatch(/Ada Test.*\*\*\*\*3000/s);
    const [profile] = await rowsOf(api, 'select email from affiliate_profile where id = ?', [profileId]);
    await erasePerson(api.runtime.context({ kind: 'system', name: 'test' }), { email: profile.email });
    const { body } = await open(url);
    // The code was made of the name.
    expect(body).not.toContain(code);
    expect(body).toMatch(/\be-[0-9a-f]{12}\b/);
    expect(body).not.toMatch(/Ada|\*{4}/);
    expect(await rowsOf(api, 'select html from payout_remittance where payout_id = ?', [payoutId])).toEqual([{ html: body }]);
  }
});

const ITEM = {
  id: MISSING_ID,
  type: 'commission' as const,
  amount: 100,
  currency: 'jpy',
  included: true,
  conversionId: null,
  externalSaleId: 'sale',
  saleAmount: 500,
  earlierPayoutId: null,
  createdAt: '2026-01-15T09:30:00.000Z',
};

it('escapes whatever somebody entered, and adds up what is not listed', () => {
  const hostile = `<script>alert(1)</script></style>"'&\u202Eevil`;
  const page = remittancePage({
    payoutId: MISSING_ID,
    paymentReference: 'ACM-1042',
    amount: 100_100,
    currency: 'jpy',
    method: 'paypal',
    programName: hostile,
    companyName: hostile,
    address: [hostile, hostile],
    affiliateName: hostile,
    affiliateCode: hostile,
    destination: hostile,
    reference: hostile,
    paidAt: '2026-01-15T09:30:00.000Z',
    timeZone: 'UTC',
    retryOf: null,
    items: [{ ...ITEM, externalSaleId: hostile }, ITEM],
    totals: { commissions: { count: 1_001, amount: 100_100 }, adjustments: { count: 0, amount: 0 } },
  });
  expect(page).not.toContain('<script');
  expect(page.match(/<\/style>/g)).toHaveLength(1);
  expect(page.match(/<bdi>&lt;script&gt;/g)).toHaveLength(9);
  expect(page).toContain('<td>999 more</td><td class="n"></td><td class="n">99900</td>');
  expect(page).toContain('<td class="n">100100 JPY</td>');
});
