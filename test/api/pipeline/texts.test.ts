import { OPERATIONS } from '../../../src/api/routes.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale } from '../../support/factories.ts';
import { textPaths } from '../../support/input-schemas.ts';
import { REJECTED_TEXTS } from '../../support/limits.ts';
import { makeOwner, makerOf, operationOf, ownerTypeOf, problemsOf, sharedObjects } from './support.ts';

/* Which texts, URLs and times the schema of each operation refuses is in test/unit/pipeline/operation-input.test.ts. */

const api = useTestApi();

const UNUSUAL_TEXTS = ['👩‍👩‍👧 Ωmega 🇩🇪', 'שלום \u202eمرحبا\u202c', 'Z̷̰̽ạ̴̈́l̸̻̈́g̵̨̈́o', '１２３ ٤٥٦', `'"\\;--`];

test('texts of any language are stored as given: in a line, in a paragraph and in data of the caller', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  for (const text of UNUSUAL_TEXTS) {
    const given = { name: text, marketplaceDescription: `${text}\n${text}` };
    await api.call('PATCH', `/programs/${programId}`, { key, body: given });
    expect((await api.call('GET', `/programs/${programId}`, { key })).data).toMatchObject(given);
    const metadata = { [text]: text };
    await api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { metadata } });
    expect((await api.call('GET', `/affiliates/${affiliateId}`, { key })).data.metadata).toEqual(metadata);
  }
});

test.each([
  ['website', 'POST', '/programs', { name: 'P', commissionType: 'recurring', commissionPercent: 10 }],
  ['logoUrl', 'PATCH', '/merchant', {}],
  ['url', 'POST', '/webhooks', { name: 'W', subscribedEvents: ['payout.completed'] }],
] as const)('the URL %s is stored as given', async (field, method, path, body) => {
  const { key } = await makeMerchant(api.runtime);
  const given = 'https://Example.com/%7Ea/../b?x=ü';
  const stored = await api.call(method, path, { key, body: { ...body, [field]: given } });
  expect([stored.status, stored.text]).toEqual([method === 'POST' ? 201 : 200, expect.stringContaining(given)]);
});

/** A URL parser drops some of them silently. */
const BAD_URLS = ['\u0000', '\ud800', '\udfff', '\r', '\n', '\t', ' ', '\u00a0', '\u007f'].flatMap((character) => [
  `https://example.com/a${character}b`,
  `https://exam${character}ple.com/`,
  `${character}https://example.com/`,
  `https://example.com/${character}`,
]);

test('what a use case reads is 422 with text that cannot be stored: URLs of webhooks and links, and files of results', async () => {
  const { key } = await makeMerchant(api.runtime);
  const link = await makerOf(operationOf('updateLink'))(api);
  const run = await makerOf(operationOf('importPayoutResults'))(api);
  const webhook = { name: 'W', subscribedEvents: ['payout.completed'] };
  for (const url of [...BAD_URLS, ...Object.values(REJECTED_TEXTS)]) {
    const [created, changed] = [
      await api.call('POST', '/webhooks', { key, body: { ...webhook, url } }),
      await api.call('PATCH', `/me/links/${link.id}`, { key: link.key, body: { targetUrl: url } }),
    ];
    expect([url, created.status, created.error?.details?.issues[0].path]).toEqual([url, 422, 'url']);
    expect([url, changed.status, changed.error?.details?.issues[0].path]).toEqual([url, 422, 'targetUrl']);
  }
  for (const csv of ['a\u0000b', 'a\ud800b', 'x'.repeat(100_000)]) {
    expect((await api.call('POST', `/payout-runs/${run.id}/results`, { key: run.key, body: { csv } })).status).toBe(422);
  }
});

test('the first and the last time that can be stored are', async () => {
  const { key } = await makeMerchant(api.runtime);
  const last = { name: 'x', preset: 'readonly', expiresAt: '9999-12-31T23:59:59.999Z' };
  expect((await api.call('POST', '/auth/keys', { key, body: last })).data.key.expiresAt).toBe(last.expiresAt);
  const program = await makeProgram(api, key);
  expect((await sendSale(api, program, { occurredAt: '0001-01-01T00:00:00Z' })).data.outcome).toBe('unattributed');
});

/** As they are sent: with escapes that are no UTF-8 too. */
const SENT_TEXTS = ['a%00b', '%ED%A0%80', '%FF', 'x'.repeat(3_000), encodeURIComponent(UNUSUAL_TEXTS.join(' ')), '%27%22%5C;--'];

test('any text is a filter without matches, or 400, of every parameter that takes free text', async () => {
  const freeTexts = (query: (typeof OPERATIONS)[number]['query']) =>
    textPaths(query)
      .map(([name]) => String(name))
      .filter((name) => name !== 'cursor' && query?.safeParse({ [name]: `'";--` }).success);
  const searched = OPERATIONS.filter(({ query }) => freeTexts(query).length > 0);
  expect(searched.map(({ id }) => id)).toContain('listAffiliates');
  const sharedObject = sharedObjects(api);
  const problems = await problemsOf(searched, async (op) => {
    const own = op.path.includes('{id}') ? await sharedObject(op) : { id: '', ...(await makeOwner(api, ownerTypeOf(op))) };
    const found: string[] = [];
    for (const name of freeTexts(op.query)) {
      for (const text of SENT_TEXTS) {
        const { status } = await api.call(op.method, `${op.path.replace('{id}', own.id)}?${name}=${text}`, { key: own.key });
        if (![200, 400].includes(status)) found.push(`?${name}=${text.slice(0, 40)}: ${status}`);
      }
    }
    return found;
  });
  expect(problems).toEqual([]);
});
