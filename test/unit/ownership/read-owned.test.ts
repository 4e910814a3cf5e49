import type { Actor } from '../../../src/platform/context.ts';
import { readOwned } from '../../../src/platform/ownership.ts';

const key = (keyType: 'merchant' | 'affiliate' | 'onboarding', ownerId: string): Actor => ({
  kind: 'key',
  keyId: 'key',
  keyType,
  ownerId,
  scopes: [],
});
const ROW = { merchantId: 'merchant', profileId: 'person' };

test.each<[string, Actor, object]>([
  ['a merchant', key('merchant', 'merchant'), ROW],
  ['an onboarding key of the merchant', key('onboarding', 'merchant'), ROW],
  ['a person', key('affiliate', 'person'), ROW],
  ['the owner of an API key', key('affiliate', 'person'), { ownerId: 'person' }],
  ['a workflow', { kind: 'system', name: 'payouts' }, ROW],
])('%s reads its own row', (_, actor, row) => {
  expect(readOwned({ actor }, 'Link', row)).toBe(row);
});

test.each<[string, Actor, object]>([
  ['another merchant', key('merchant', 'other'), ROW],
  ['another person', key('affiliate', 'other'), ROW],
  ['a merchant with the id of the person', key('merchant', 'person'), ROW],
  ['a person with the id of the merchant', key('affiliate', 'merchant'), ROW],
  ['an owner of other keys', key('merchant', 'merchant'), { ownerId: 'other', ...ROW }],
  ['a person, of a row without a person', key('affiliate', 'person'), { merchantId: 'merchant' }],
  ['a request without a key', { kind: 'anonymous' }, ROW],
])('FORBIDDEN for %s', (_, actor, row) => {
  expect(() => readOwned({ actor }, 'Link', row)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
});

test('NOT_FOUND without a row, whoever asks', () => {
  for (const actor of [key('merchant', 'merchant'), { kind: 'anonymous' }] as const)
    expect(() => readOwned({ actor }, 'Link', null)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
});
