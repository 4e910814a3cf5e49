import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeAffiliateKey, makeMerchant, makeProgram, sendSale, unique } from '../../support/factories.ts';
import { callAs } from '../../support/people.ts';

const api = useTestApi();
const anybody = { kind: 'anonymous' } as const;

const setUp = async () => {
  const merchant = await makeMerchant(api.runtime);
  const portalSlug = `acme-${unique()}`;
  const program = await makeProgram(api, merchant.key, { portalSlug, commissionHoldDays: 30 });
  return { ...merchant, portalSlug, program, ...(await makeAffiliate(api.runtime, program.programId)) };
};
type Made = Awaited<ReturnType<typeof setUp>>;

/** Addresses that mail servers take, with a part that makes them unique, and as they are stored. */
const ADDRESSES: [name: string, given: (id: string) => string, stored: (id: string) => string][] = [
  ['an internationalized domain', (id) => `ada-${id}@b\u00fccher.example`, (id) => `ada-${id}@xn--bcher-kva.example`],
  ['an internationalized top-level domain', (id) => `ada@x${id}.\u0440\u0444`, (id) => `ada@x${id}.xn--p1ai`],
  ['its ASCII form', (id) => `ada@x${id}.xn--p1ai`, (id) => `ada@x${id}.xn--p1ai`],
  ['a plus sign', (id) => `ada+${id}@blog.example`, (id) => `ada+${id}@blog.example`],
  ['quotes', (id) => `"ada ${id}"@blog.example`, (id) => `"ada ${id}"@blog.example`],
  ['dots in a row', (id) => `ada..${id}.@blog.example`, (id) => `ada..${id}.@blog.example`],
  ['signs', (id) => `o'hara!${id}/x=y@blog.example`, (id) => `o'hara!${id}/x=y@blog.example`],
  ['blanks around it', (id) => ` ada-${id}@blog.example\n`, (id) => `ada-${id}@blog.example`],
  ['invisible characters', (id) => `\u200bada-${id}@blog.example\u202c`, (id) => `ada-${id}@blog.example`],
];

const WRONG = [
  'ada',
  'ada@localhost',
  'ada b@blog.example',
  'Ada <ada@blog.example>',
  'ada@[127.0.0.1]',
  `${'a'.repeat(330)}@b.example`,
];

const ways: [
  name: string,
  field: string,
  send: (made: Made, email: string) => Promise<{ status: number; error: { details: { issues: object[] } } }>,
][] = [
  [
    'adding an affiliate',
    'email',
    ({ key, program }, email) => api.call('POST', '/affiliates', { key, body: { programId: program.programId, email } }),
  ],
  [
    'entering payout details of an affiliate',
    'paypalEmail',
    ({ key, program }, paypalEmail) =>
      api.call('POST', '/affiliates', {
        key,
        body: { programId: program.programId, email: `a-${unique()}@blog.example`, paypalEmail },
      }),
  ],
  [
    'changing own payout details',
    'paypalEmail',
    async ({ profileId }, paypalEmail) =>
      api.call('PATCH', '/me/payout-info', { key: await makeAffiliateKey(api.runtime, profileId), body: { paypalEmail } }),
  ],
  [
    'an invite',
    'email',
    ({ key, program }, email) => api.call('POST', `/programs/${program.programId}/invites`, { key, body: { email } }),
  ],
];

describe.each(ways)('%s', (_way, field, send) => {
  it.each(ADDRESSES)('BR2: takes an address with %s', async (_name, given) => {
    const response = await send(await setUp(), given(unique()));
    expect(response.status).toBeLessThan(300);
  });

  it('BR2: refuses what no mail server takes', async () => {
    const made = await setUp();
    for (const wrong of WRONG)
      expect([wrong, await send(made, wrong)]).toMatchObject([
        wrong,
        { status: 422, error: { details: { issues: [{ path: field }] } } },
      ]);
  });
});

it.each(ADDRESSES)('BR2: an affiliate whose address has %s is found by it, and is one person', async (_name, given, stored) => {
  const { key, program } = await setUp();
  const { programId } = program;
  const id = unique();
  const added = await api.call('POST', '/affiliates', { key, body: { programId, email: given(id), paypalEmail: given(id) } });
  expect([added.status, added.data.email]).toEqual([201, stored(id).toLowerCase()]);
  const again = await api.call('POST', '/affiliates', { key, body: { programId, email: stored(id) } });
  expect(again.error.details).toMatchObject({ reason: 'ALREADY_MEMBER' });
  const found = await api.call('GET', '/affiliates', { key, query: { email: given(id).trim() } });
  expect(found.data.map((affiliate: { id: string }) => affiliate.id)).toEqual([added.data.id]);
});

it.each(ADDRESSES)('BR2: somebody whose address has %s joins and signs in', async (_name, given) => {
  const { portalSlug } = await setUp();
  const email = given(unique());
  const joining = await callAs(api, anybody, 'startJoiningProgram', { params: { portalSlug }, body: { email, name: 'Ada' } });
  expect(joining.status).toBeLessThan(300);
  expect((await callAs(api, anybody, 'startSignIn', { body: { email } })).status).toBeLessThan(300);
});

describe('the address of a buyer', () => {
  const digestsOf = ({ program }: Made) =>
    rows(
      api.runtime.context({ kind: 'system', name: 'test' }).em,
      sql<{ digest: string; canonical: string; domain: string | null }>`select customer_email_digest as digest,
        customer_canonical_digest as canonical, customer_email_domain as domain from sale where program_id = ${program.programId}::uuid
        order by created_at, id`,
    );

  it.each([
    ['ada@\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444', 'xn--e1afmkfd.xn--p1ai'],
    ['ada@example.xn--p1ai', 'example.xn--p1ai'],
    ['"ada lovelace"@example.org', 'example.org'],
    ['ada@localhost', null],
    ['not an address', null],
    ['@', null],
    ['\u{1f600}@\u{1f600}', null],
    [`${'a'.repeat(308)}@example.org`, 'example.org'],
    ['a\u0000\u202eb@example.org', 'example.org'],
  ])('BR2: %j is taken as evidence', async (email, domain) => {
    const made = await setUp();
    const sale = await sendSale(api, made.program, { customer: { id: 'c-1', email }, referralCode: made.code });
    expect([sale.status, sale.data]).toEqual([200, { outcome: 'recorded', conversionId: expect.any(String) }]);
    expect(await digestsOf(made)).toEqual([{ digest: expect.any(String), canonical: expect.any(String), domain }]);
  });

  it('BR2: spellings of one mailbox are one', async () => {
    const made = await setUp();
    for (const email of ['Ada+x@b\u00fccher.example', ' ada@xn--bcher-kva.example', '"ada"@B\u00dcCHER.example\u200b'])
      await sendSale(api, made.program, { customer: { id: 'c-1', email } });
    expect(new Set((await digestsOf(made)).map(({ canonical }) => canonical)).size).toBe(1);
  });
});
