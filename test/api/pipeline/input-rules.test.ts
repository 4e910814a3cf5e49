import { z } from 'zod';
import { OPERATIONS } from '../../../src/api/routes.ts';
import type { Operation } from '../../../src/platform/http/operation.ts';
import { useTestApi } from '../../support/api.ts';
import { makeMerchant, makeProgram, type SaleFacts, sendRefund, sendSale } from '../../support/factories.ts';
import { nameOf } from './support.ts';

const api = useTestApi();

const BAD_TIMES = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+01:00',
  '2026-01-01T00:00:00+16:00',
  '2026-01-01T00:00:00-23:59',
  '9999-12-31T23:59:59-23:59',
  '9999-12-31T23:59:59-00:01',
  '2026-02-30T00:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:60Z',
  '+010000-01-01T00:00:00Z',
];
const EDGE_TIMES = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-01-01T00:00:00+15:59', '2026-01-01T00:00:00-15:59'];
const BAD_TEXTS = ['a\u0000b', 'a\ud800b', 'a\udc00b'];

const propertiesOf = (schema: z.ZodType | undefined): Record<string, { format?: string; type?: unknown }> =>
  (schema &&
    (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties as object as ReturnType<typeof propertiesOf>)) ??
  {};

const forMerchants = OPERATIONS.filter((op) => op.access !== 'public' && op.access.keys.includes('merchant'));

const timeParameters = forMerchants.flatMap((op) =>
  Object.keys(propertiesOf(op.query))
    .filter((name) => propertiesOf(op.query)[name]?.format === 'date-time')
    .map((name): [string, string, Operation] => [nameOf(op), name, op]),
);

test('H5: the operations with times are found', () => {
  expect(timeParameters.length).toBeGreaterThanOrEqual(8);
});

test.each(timeParameters)('H5: %s %s: 400 for a time that cannot be stored', async (_op, name, op) => {
  const { key } = await makeMerchant(api.runtime);
  for (const time of BAD_TIMES) {
    const response = await api.call(op.method, op.path, { key, query: { [name]: time } });
    expect([time, response.status, response.error?.code]).toEqual([time, 400, 'BAD_REQUEST']);
  }
  for (const time of EDGE_TIMES) expect((await api.call(op.method, op.path, { key, query: { [name]: time } })).status).toBe(200);
});

test('H5: 422 for an expiry of a key that cannot be stored', async () => {
  const { key } = await makeMerchant(api.runtime);
  for (const expiresAt of BAD_TIMES) {
    const response = await api.call('POST', '/auth/keys', { key, body: { name: 'x', preset: 'readonly', expiresAt } });
    expect([expiresAt, response.status]).toEqual([expiresAt, 422]);
    expect(response.error.details.issues).toMatchObject([{ path: 'expiresAt' }]);
  }
  const last = { name: 'x', preset: 'readonly', expiresAt: '9999-12-31T23:59:59.999Z' };
  expect((await api.call('POST', '/auth/keys', { key, body: last })).data.key.expiresAt).toBe(last.expiresAt);
});

test('H5: 422 for a time of a sale or refund that cannot be stored', async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  for (const occurredAt of BAD_TIMES) {
    expect([occurredAt, (await sendSale(api, program, { occurredAt })).status]).toEqual([occurredAt, 422]);
    const refund = { saleId: 's', amount: 1, occurredAt };
    expect([occurredAt, (await sendRefund(api, program, refund)).status]).toEqual([occurredAt, 422]);
  }
  expect((await sendSale(api, program, { occurredAt: '0001-01-01T00:00:00Z' })).data.outcome).toBe('unattributed');
});

const urlFields: [string, 'POST' | 'PATCH', string, Record<string, unknown>][] = [
  ['website', 'POST', '/programs', { name: 'P', commissionType: 'recurring', commissionPercent: 10 }],
  ['landingPageUrl', 'POST', '/programs', { name: 'P', commissionType: 'recurring', commissionPercent: 10 }],
  ['marketplaceLogoUrl', 'POST', '/programs', { name: 'P', commissionType: 'recurring', commissionPercent: 10 }],
  ['logoUrl', 'PATCH', '/merchant', {}],
  ['url', 'POST', '/webhooks', { name: 'W', subscribedEvents: ['payout.completed'] }],
];

test.each(urlFields)('H5: %s is stored as given or 422', async (field, method, path, body) => {
  const { key } = await makeMerchant(api.runtime);
  const bad = ['\u0000', '\ud800', '\udfff', '\r', '\n', '\t', ' ', '\u00a0', '\u007f'].flatMap((character) => [
    `https://example.com/a${character}b`,
    `https://exam${character}ple.com/`,
    `${character}https://example.com/`,
    `https://example.com/${character}`,
  ]);
  for (const url of bad) {
    const response = await api.call(method, path, { key, body: { ...body, [field]: url } });
    expect([JSON.stringify(url), response.status]).toEqual([JSON.stringify(url), 422]);
    expect(response.error.details.issues[0].path).toBe(field);
  }
  const given = 'https://Example.com/%7Ea/../b?x=ü';
  const stored = await api.call(method, path, { key, body: { ...body, [field]: given } });
  expect([stored.status, stored.text]).toEqual([method === 'POST' ? 201 : 200, expect.stringContaining(given)]);
});

const textFields = forMerchants.flatMap((op) =>
  Object.keys(propertiesOf(op.body)).map((name): [string, string, Operation] => [nameOf(op), name, op]),
);

test.each(textFields)('H5: %s: %s with a null character or a lone surrogate is 422', async (_op, name, op) => {
  const { key } = await makeMerchant(api.runtime);
  for (const text of BAD_TEXTS) {
    for (const value of [text, [text]]) {
      const body = { ...(op.example.body as object), [name]: value };
      const response = await api.call(op.method, op.path.replaceAll(/\{\w+\}/g, '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8eff'), {
        key,
        body,
      });
      expect([JSON.stringify(value), response.status]).toEqual([JSON.stringify(value), 422]);
      expect(response.error.details.issues[0].path.split('.')[0]).toBe(name);
    }
  }
});

test('H5: 422 for every text of a sale with a null character or a lone surrogate', async () => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key);
  for (const text of BAD_TEXTS) {
    const facts: (SaleFacts & Record<string, unknown>)[] = [
      { saleId: text },
      { subscriptionId: text },
      { referralCode: text },
      { couponCode: text },
      { clickToken: text },
      { currency: text },
      { customer: { id: text, email: 'b@example.org' } },
      { customer: { id: 'c', email: `${text}@example.org` } },
    ];
    for (const fact of facts)
      expect([JSON.stringify(fact), (await sendSale(api, program, fact)).status]).toEqual([JSON.stringify(fact), 422]);
    expect((await sendRefund(api, program, { saleId: 's', amount: 1, refundId: text })).status).toBe(422);
  }
});
