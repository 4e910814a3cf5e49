import { GUIDE_GROUPS, GUIDES } from '../../src/api/guides.ts';
import { createOpenApi } from '../../src/api/openapi.ts';
import { OPERATIONS } from '../../src/api/routes.ts';
import { createTextDocs } from '../../src/api/text-docs.ts';
import { scopeList } from '../../src/cli/options.ts';
import { SALE_EVENT_TYPES } from '../../src/contracts/conversions.ts';
import { CURRENCY_CODES } from '../../src/contracts/currencies.ts';
import { SCOPES } from '../../src/contracts/scopes.ts';
import { flagOpenedMail, flagReminderMail } from '../../src/domains/notifications/mails/flag-mails.ts';
import { programExample } from '../../src/domains/programs/programs.examples.ts';
import { envelopeExample } from '../../src/domains/webhooks/webhooks.examples.ts';
import { useTestApi } from '../support/api.ts';
import { makeMerchant, unique } from '../support/factories.ts';

const api = useTestApi();
const texts = createTextDocs(createOpenApi(OPERATIONS));
const textOf = (operation: string): string => texts[`/docs/operations/${operation}.md`] ?? '';

test('IN14: the side bar has guides and operations under headings of their own, and begins with what this is and is not', () => {
  const document = createOpenApi(OPERATIONS);
  const description = document.info.description ?? '';
  const fences = description.replaceAll(/^```[\s\S]*?^```$/gm, '');
  expect([...fences.matchAll(/^# (.*)$/gm)].map(([, title]) => title)).toEqual(Object.keys(GUIDE_GROUPS));
  expect(fences.match(/^## /gm)).toHaveLength(GUIDES.length);
  expect(fences.slice(0, 3_000)).toMatch(/What it does not do[\s\S]*License/);
  const groups = document['x-tagGroups'] as { name: string; tags: string[] }[];
  expect(groups.flatMap(({ tags }) => tags)).toEqual((document.tags ?? []).map(({ name }) => name));
  expect(groups.every(({ name }) => name.startsWith('Operations: '))).toBe(true);
});

test('IN12: a replayed response has the requestId of the first request, and the guide and the field say so', async () => {
  const { key } = await makeMerchant(api.runtime);
  const headers = { 'idempotency-key': unique() };
  const body = { name: 'Twice', commissionType: 'recurring', commissionPercent: 20 };
  const [first, again] = [
    await api.call('POST', '/programs', { key, headers, body }),
    await api.call('POST', '/programs', { key, headers, body }),
  ];
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect(again.meta.requestId).toBe(first.meta.requestId);
  expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
  expect(texts['/docs/guides/idempotency.md']).toMatch(/original one, with `meta.requestId` of the first request/);
});

test('IN12: the text of an operation says of closed sets and alternatives that one of them is meant', () => {
  expect(textOf('createProgram')).toContain('`commissionType` (one of `one_time`, `recurring`, `recurring_limited`, required)');
  const event = textOf('receiveSaleEvent');
  for (const type of SALE_EVENT_TYPES) expect(event).toContain(`- One of 6 alternatives with \`type\` \`${type}\`:`);
  expect(event).toMatch(
    /`data.customer.email` \(string or null, at most 320 characters\): Email address as the customer entered it/,
  );
});

test('IN12: the list of currencies stands once in the text of everything', () => {
  const all = texts['/llms-full.txt'] ?? '';
  expect(all.split(CURRENCY_CODES.join(', '))).toHaveLength(2);
  expect(all).not.toContain(CURRENCY_CODES.map((code) => `\`${code}\``).join(', '));
  expect(textOf('createProgram')).toContain('`currency` (ISO 4217 code');
});

test('IN12: an example of an event that creates its subject is the first of its sequence', () => {
  const data = { id: programExample.id };
  expect(envelopeExample('conversion.created', data).sequence).toBe(1);
  expect(envelopeExample('payout.completed', data).sequence).toBeGreaterThan(1);
});

test('IN12: a path without /api/v1 and a wrong method are 404, and the first says what is missing', async () => {
  const { key } = await makeMerchant(api.runtime);
  const { status, error } = await api.raw('GET', '/payouts', {});
  expect([status, error.message]).toEqual([404, 'No route matches GET /payouts. The operations of the API are under /api/v1']);
  const events = await api.raw('POST', '/api/v1/integrations/events/1', {});
  expect(events.error.message).toContain('. Events of a program are received under /api/integrations');
  const wrong = await api.call('PUT', '/payouts', { key, body: {} });
  expect([wrong.status, wrong.error.message]).toEqual([404, 'No route matches PUT /api/v1/payouts']);
  expect(texts['/docs/guides/errors.md']).toContain('A path with another method is 404 too, never 405');
});

test('IN12: a misspelled scope of the CLI is answered with the list of scopes', () => {
  expect(() => scopeList('payouts:reed')).toThrow(`a comma-separated list of scopes: ${SCOPES.join(', ')}`);
});

test('IN12: mails about a flag name the affiliate, and after an erasure the code', () => {
  const flag = {
    flagId: 'f',
    affiliateId: 'a',
    type: 'manual_review' as const,
    affiliateName: 'Ada\nExample',
    affiliateCode: 'ada-1',
    programName: 'Acme',
    conversions: 1,
    heldAmount: 100,
    currency: 'usd',
    dueAt: new Date(),
    atDeadline: 'keep_open' as const,
    deadlineAction: null,
  };
  expect(flagOpenedMail(flag).subject).toBe('Commissions of Ada Example (ada-1) are on hold: manual review');
  expect(flagReminderMail({ ...flag, affiliateName: null }).subject).toBe('Reminder: commissions of ada-1 are on hold');
});
