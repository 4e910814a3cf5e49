import fc from 'fast-check';
import { listOpenSaleProblems } from '../../../src/domains/conversions/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, saleEvent, sendEvent, sendSale, unique } from '../../support/factories.ts';

const api = useTestApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const setUp = async (more: Record<string, unknown> = {}) => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, more);
  return { ...merchant, program, ...(await makeAffiliate(api.runtime, program.programId)) };
};
type Made = Awaited<ReturnType<typeof setUp>>;

const problemsOf = async ({ merchantId }: Made) =>
  (await listOpenSaleProblems(context(), { limit: 9_999 })).filter((problem) => problem.merchantId === merchantId);

/** A sale with one member replaced: by its path in `data`, or `timestamp`. */
const saleWith = (path: string, value: unknown) => {
  const event = saleEvent({});
  if (path === 'timestamp') return { ...event, timestamp: value };
  if (!path.startsWith('customer.')) return { ...event, data: { ...event.data, [path]: value } };
  const customer = { ...(event.data['customer'] as object), [path.slice('customer.'.length)]: value };
  return { ...event, data: { ...event.data, customer } };
};

const OPTIONAL = ['clickToken', 'couponCode', 'referralCode', 'subscriptionId', 'metadata', 'customer.id', 'customer.email'];
const BLANKS = [null, '', '   ', '\t\n', '\u00a0\u200b'];

describe('a member that is blank', () => {
  it.each([...OPTIONAL, 'timestamp'])('BR1: a sale whose %s is blank is recorded as without it', async (path) => {
    const made = await setUp();
    for (const blank of BLANKS) {
      const { status, data } = await sendEvent(api, made.program, saleWith(path, blank));
      expect([path, blank, status, data]).toEqual([
        path,
        blank,
        200,
        { outcome: 'unattributed', conversionId: null, reason: 'NO_MATCH' },
      ]);
    }
    expect(await problemsOf(made)).toEqual([]);
  });

  it('BR1: a customer that is blank is left out, and one that is no object is its id', async () => {
    const made = await setUp();
    for (const blank of [...BLANKS, []]) {
      const { status, data } = await sendEvent(api, made.program, saleWith('customer', blank));
      expect([blank, status, data.unusable]).toEqual([blank, 200, undefined]);
    }
    const id = `c-${unique()}`;
    for (const customer of [id, { id }]) await sendEvent(api, made.program, saleWith('customer', customer));
    const { data: sales } = await api.call('GET', '/sales', { key: made.key });
    expect(sales.map((sale: { customerId: string }) => sale.customerId).slice(0, 2)).toEqual([id, id]);
    const { data } = await sendEvent(api, made.program, saleWith('customer', [{ id }]));
    expect(data).toMatchObject({ outcome: 'unattributed', unusable: [{ field: 'customer.id', value: null }] });
  });

  it('BR1: a repeat without the member is the same sale', async () => {
    const { program, code } = await setUp();
    const event = saleEvent({ referralCode: code });
    const blank = { ...event, data: { ...event.data, clickToken: '', couponCode: null, subscriptionId: ' ', metadata: null } };
    const first = await sendEvent(api, program, blank);
    expect(first.data.outcome).toBe('recorded');
    expect((await sendEvent(api, program, event)).data).toEqual({ ...first.data, outcome: 'duplicate' });
  });

  it('BR1: a renewal with a blank click token is credited as the first payment was', async () => {
    const { program, code } = await setUp();
    const customer = { id: `c-${unique()}`, email: 'buyer@example.org' };
    await sendSale(api, program, { customer, referralCode: code, subscriptionId: 'sub-1' });
    const renewal = await sendSale(api, program, { customer, clickToken: '', subscriptionId: 'sub-1' });
    expect([renewal.status, renewal.data.outcome]).toEqual([200, 'recorded']);
  });

  it('BR1: a sign-up with blank evidence attributes by what is left', async () => {
    const { program, code } = await setUp();
    const at = new Date().toISOString();
    const signUp = { type: 'customer.identified', timestamp: '', data: { customer: { id: 'c-1', email: '' }, occurredAt: at } };
    const { status, data } = await sendEvent(api, program, {
      ...signUp,
      data: { ...signUp.data, clickToken: '', couponCode: null, referralCode: code },
    });
    expect([status, data]).toEqual([200, { outcome: 'recorded', conversionId: null }]);
    const nobody = await sendEvent(api, program, { ...signUp, data: { ...signUp.data, customer: { id: null } } });
    expect([nobody.status, nobody.error.details.issues[0].path]).toEqual([422, 'data.customer.id']);
  });

  it('BR1: payments of a guest are of one customer if they name the same address, and of nobody without one', async () => {
    const { program, code } = await setUp({ commissionType: 'one_time' });
    const email = `guest-${unique()}@example.org`;
    const pay = (customer: unknown) =>
      sendEvent(api, program, {
        ...saleEvent({ referralCode: code }),
        data: { ...saleEvent({ referralCode: code }).data, customer },
      });
    const outcomes = [];
    for (const customer of [{ email }, { id: '', email: email.toUpperCase() }, {}, null, { id: null, email: null }])
      outcomes.push((await pay(customer)).data.outcome);
    expect(outcomes).toEqual(['recorded', 'unattributed', 'recorded', 'recorded', 'recorded']);
  });

  it('BR1: what decides about the money is required as before', async () => {
    const { program } = await setUp();
    for (const path of ['saleId', 'amount', 'currency', 'occurredAt']) {
      for (const blank of [null, '']) expect((await sendEvent(api, program, saleWith(path, blank))).status).toBe(422);
    }
  });
});

describe('a member that cannot be used', () => {
  const LONG = 'x'.repeat(2_000);
  const UNUSABLE: [path: string, value: unknown, shown: string | null][] = [
    ['clickToken', LONG, 'x'.repeat(100)],
    ['clickToken', { token: 'clk_1' }, null],
    ['clickToken', 'clk_\u0000\u202e1', 'clk_ 1'],
    ['couponCode', ['SAVE10'], null],
    ['couponCode', 'SAVE\n10', 'SAVE 10'],
    ['referralCode', true, null],
    ['referralCode', 'y'.repeat(51), 'y'.repeat(51)],
    ['subscriptionId', LONG, 'x'.repeat(100)],
    ['customer.id', '\ud800', ''],
    ['customer.email', `${'a'.repeat(310)}@example.org`, null],
    ['customer.email', { address: 'buyer@example.org' }, null],
    ['metadata', 'text', null],
    ['metadata', { plan: 'pro', cart: { items: 2 } }, 'cart'],
    ['metadata', { agent: 'z'.repeat(3_000) }, 'agent'],
  ];

  it.each(UNUSABLE)('BR1: %s %j is recorded on the sale and listed as a problem', async (field, value, shown) => {
    const made = await setUp();
    const event = saleWith(field, value);
    const unusable = [{ field, value: shown }];
    const { status, data } = await sendEvent(api, made.program, event);
    expect([status, data]).toEqual([200, { outcome: 'unattributed', conversionId: null, reason: 'NO_MATCH', unusable }]);
    const listed = await api.call('GET', '/sales', { key: made.key });
    expect(listed.data).toMatchObject([{ externalSaleId: event.data['saleId'], unusable }]);
    expect(await problemsOf(made)).toMatchObject([
      { eventType: 'sale.completed', objectId: event.data['saleId'], reason: 'UNUSABLE_FIELDS', fields: [field] },
    ]);
    expect((await sendEvent(api, made.program, event)).data.outcome).toBe('duplicate');
    expect(await problemsOf(made)).toHaveLength(1);
  });

  it('BR1: the sale is credited by the evidence that can be used, and its conversion shows the rest', async () => {
    const made = await setUp();
    const event = saleEvent({ referralCode: made.code });
    const data = { ...event.data, couponCode: 'x'.repeat(101), clickToken: [] };
    const { data: result } = await sendEvent(api, made.program, { ...event, data });
    expect(result).toMatchObject({ outcome: 'recorded', unusable: [{ field: 'clickToken' }, { field: 'couponCode' }] });
    const detail = await api.call('GET', `/conversions/${result.conversionId}`, { key: made.key });
    expect(detail.data.attribution).toMatchObject({ rule: 'referral_code', unusable: result.unusable });
    expect(await verifyLedger(context())).toEqual([]);
  });

  it('BR1: of metadata, what can be stored is stored; numbers and truth values become text', async () => {
    const made = await setUp();
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`k${at}`, at]));
    const event = {
      ...saleEvent({}),
      data: { ...saleEvent({ referralCode: made.code }).data, metadata: { ok: true, none: null, ...many } },
    };
    const { data } = await sendEvent(api, made.program, event);
    expect(data.unusable).toEqual([{ field: 'metadata', value: 'k19, k20, k21' }]);
    const { metadata } = (await api.call('GET', `/conversions/${data.conversionId}`, { key: made.key })).data;
    expect(metadata).toMatchObject({ ok: 'true', k0: '0', k18: '18' });
    expect(Object.keys(metadata)).toHaveLength(20);
  });

  it('BR1: an unusable customer id is no reason to forget the address', async () => {
    const made = await setUp();
    const customer = { id: LONG, email: `guest-${unique()}@example.org` };
    const pay = (more: object) =>
      sendEvent(api, made.program, { ...saleEvent({}), data: { ...saleEvent({}).data, customer, ...more } });
    await pay({ referralCode: made.code });
    expect((await pay({})).data.outcome).toBe('recorded');
  });

  it('BR1: a sign-up is answered likewise, and its problem does not name the customer', async () => {
    const made = await setUp();
    const id = `buyer-${unique()}@example.org`;
    const { status, data } = await sendEvent(api, made.program, {
      type: 'customer.identified',
      data: { customer: { id }, couponCode: 'x'.repeat(101), referralCode: made.code, occurredAt: new Date().toISOString() },
    });
    expect([status, data]).toMatchObject([200, { outcome: 'recorded', unusable: [{ field: 'couponCode' }] }]);
    const problems = await problemsOf(made);
    expect(problems).toMatchObject([{ eventType: 'customer.identified', objectId: null, fields: ['couponCode'] }]);
    expect(JSON.stringify(problems)).not.toContain(id);
  });
});

it('BR1: whatever stands for what decides nothing about the money, the payment is recorded', async () => {
  const made = await setUp();
  const any = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.string({ unit: 'binary', maxLength: 400 }));
  const members = fc.record(
    Object.fromEntries(['clickToken', 'couponCode', 'referralCode', 'subscriptionId', 'metadata'].map((name) => [name, any])),
    { requiredKeys: [] },
  );
  const customers = fc.option(fc.record({ id: any, email: any }, { requiredKeys: [] }));
  await fc.assert(
    fc.asyncProperty(members, customers, any, async (given, customer, timestamp) => {
      const event = saleEvent({});
      const response = await sendEvent(api, made.program, { ...event, timestamp, data: { ...event.data, ...given, customer } });
      expect(response.status).toBe(200);
    }),
    { numRuns: 60 },
  );
  expect(await verifyLedger(context())).toEqual([]);
});
