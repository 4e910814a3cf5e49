import fc from 'fast-check';
import { approveDueConversions, settleCustomers } from '../../../src/domains/conversions/index.ts';
import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { erasePerson } from '../../../src/domains/me/index.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/clock.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, firstRow, rows, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makeProgram,
  type SaleFacts,
  saleEvent,
  sendUnscreened,
  unique,
} from '../../support/factories.ts';
import { checkoutSession, invoice, seconds, stripeEvent } from '../../support/stripe/stripe-events.ts';
import { makeTwoPrograms } from '../../support/stripe/two-programs.ts';

const api = useOwnApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });
const settle = () => settleCustomers(context());

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

type Person = NonNullable<SaleFacts['customer']>;

/** A program with affiliates who joined a year ago. */
const setUp = async (settings: Record<string, unknown> = {}) => {
  const { key, merchantId } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, { commissionHoldDays: 30, ...settings });
  const join = async () => {
    const affiliate = await makeAffiliate(api.runtime, program.programId);
    const { affiliateId } = affiliate;
    await execute(context().em, sql`update affiliate set created_at = now() - interval '1 year' where id = ${affiliateId}::uuid`);
    return affiliate;
  };
  const send = async (event: unknown) => {
    const { status, data, text } = await sendUnscreened(api, program, event);
    if (status !== 200) throw new Error(text);
    return data;
  };
  const pay = (saleId: string, customer: Person, facts: SaleFacts = {}) => send(saleEvent({ saleId, customer, ...facts }));
  const identify = (customer: Person, facts: Record<string, unknown> = {}) =>
    send({
      type: 'customer.identified',
      timestamp: ago(0),
      data: { customer, occurredAt: ago(0), ...facts },
    });
  const salesOf = async (): Promise<Record<string, string>> =>
    Object.fromEntries(
      (
        await rows(
          context().em,
          sql<{
            id: string;
            outcome: string;
          }>`select s.external_id as id, coalesce(s.reason, s.affiliate_id::text) as outcome from sale s
            left join conversion c on c.sale_id = s.id
            where s.program_id = ${program.programId}::uuid and (s.reason is not null or c.status <> 'rejected')`,
        )
      ).map(({ id, outcome }) => [id, outcome]),
    );
  const customers = () =>
    rows(
      context().em,
      sql<{
        customerIds: string[];
        affiliateId: string | null;
        status: string;
      }>`select affiliate_id as "affiliateId", status, external_id,
          array(select value from customer_identity i where i.customer_id = c.id and kind = 'id' order by value) as "customerIds"
        from customer c where program_id = ${program.programId}::uuid and status is not null`,
    );
  return { key, merchantId, program, join, send, pay, identify, salesOf, customers };
};

type Setting = Awaited<ReturnType<typeof setUp>>;

describe('BR8: one mailbox, as a guest and then as a customer', () => {
  it.each([
    ['recurring', 'credited'],
    ['one_time', 'NOT_FIRST_PAYMENT'],
  ])('is one customer of a program of the type %s: the second payment is %s', async (commissionType, second) => {
    const { join, pay, salesOf } = await setUp({ commissionType });
    const { code, affiliateId } = await join();
    await pay('guest', { email: 'Ada.Lovelace+shop@gmail.com' }, { referralCode: code });
    await pay('customer', { id: 'cus_1', email: 'adalovelace@googlemail.com' });
    expect(await salesOf()).toEqual({ guest: affiliateId, customer: second === 'credited' ? affiliateId : second });
  });

  it('is two customers where the program does not join by email, and ids that one event names are still one', async () => {
    const { join, pay, identify, salesOf, customers } = await setUp({ joinCustomersByEmail: false });
    const { code, affiliateId } = await join();
    await pay('guest', { email: 'ada@example.org' }, { referralCode: code });
    await pay('customer', { id: 'cus_1', email: 'ada@example.org' });
    expect(await salesOf()).toEqual({ guest: affiliateId, customer: 'NO_MATCH' });
    await pay('own', { id: 'user-1' }, { referralCode: code });
    await identify({ id: 'user-1', stripeCustomerId: 'cus_1' });
    await pay('later', { id: 'cus_1' });
    expect(await salesOf()).toMatchObject({ own: affiliateId, later: affiliateId });
    expect((await customers()).map(({ customerIds }) => customerIds.length).sort()).toEqual([1, 2]);
  });

  it('at Stripe, leads a payment to the program in which the guest was attributed', async () => {
    const { a, b, send, placesOf } = await makeTwoPrograms(api);
    const email = `buyer-${unique()}@example.org`;
    const details = { ...(checkoutSession().customer_details ?? null), email } as never;
    const guest = checkoutSession({ customer: null, customer_details: details, discounts: b.discounts, created: seconds() - 60 });
    await send(a.endpoint, stripeEvent('checkout.session.completed', guest));
    const paid = invoice({ customer_email: email });
    await send(a.endpoint, stripeEvent('invoice.paid', paid));
    const credited = { programId: b.programId, affiliateId: b.affiliateId, reason: null };
    expect(await placesOf(guest.payment_intent as string)).toMatchObject([credited]);
    expect(await placesOf(paid.id)).toMatchObject([credited]);
  });
});

/** Three payments of a person under three ids, and an event that tells of two of them. Only the first payment has evidence. */
const eventsOf = ({ pay, identify }: Setting, code: string): (() => Promise<unknown>)[] => {
  const [first, second, third, now] = [45 * DAY_MS, 40 * DAY_MS, 2 * DAY_MS, 0].map(ago);
  return [
    () => pay('guest', { email: 'ada@example.org' }, { referralCode: code, occurredAt: first }),
    () => pay('stripe', { id: 'cus_1' }, { occurredAt: second }),
    () => pay('own', { id: 'user-1', email: 'Ada@Example.org' }, { occurredAt: third }),
    () => identify({ id: 'user-1', stripeCustomerId: 'cus_1' }, { occurredAt: now }),
  ];
};

describe.each([
  ['recurring', { stripe: null, own: null }],
  ['one_time', { stripe: 'NOT_FIRST_PAYMENT', own: 'NOT_FIRST_PAYMENT' }],
  ['recurring_limited', { stripe: null, own: 'LIMIT_REACHED' }],
])('a program of the type %s', (commissionType, expected) => {
  const settings = { commissionType, ...(commissionType === 'recurring_limited' ? { commissionLimitMonths: 1 } : {}) };
  const check = async (own: Setting, affiliateId: string) => {
    await settle();
    const { stripe, own: last } = expected;
    expect(await own.salesOf()).toEqual({ guest: affiliateId, stripe: stripe ?? affiliateId, own: last ?? affiliateId });
    expect(await own.customers()).toMatchObject([{ affiliateId, status: 'customer' }]);
  };

  it('books the same in every order of events, repeats included', async () => {
    const order = fc.shuffledSubarray([0, 1, 2, 3, 0, 1, 2, 3], { minLength: 8 });
    await fc.assert(
      fc.asyncProperty(order, async (places) => {
        const own = await setUp(settings);
        const { code, affiliateId } = await own.join();
        const events = eventsOf(own, code);
        for (const place of places) await events[place]?.();
        await check(own, affiliateId);
      }),
      { numRuns: 12 },
    );
  });

  it('books the same when all events arrive at once', async () => {
    for (let round = 0; round < 4; round++) {
      const own = await setUp(settings);
      const { code, affiliateId } = await own.join();
      await Promise.all(eventsOf(own, code).map((event) => event()));
      await check(own, affiliateId);
    }
  });
});

describe('customers who turn out to be one', () => {
  const approve = (saleId: string, programId: string) =>
    execute(
      context().em,
      sql`update conversion set release_at = now() - interval '1 minute', screened_at = now() where sale_id = (
        select id from sale where external_id = ${saleId} and program_id = ${programId}::uuid)`,
    );

  it.each([
    ['neither is approved: the first one stays', [], ['first']],
    ['the first one is approved: it stays', ['first'], ['first']],
    ['the second one is approved: it stays, as nothing goes back over approved money', ['second'], ['second']],
    ['both are approved: both stay', ['first', 'second'], ['first', 'second']],
  ])('of two first payments, when %s', async (_, approved, left) => {
    const { join, pay, identify, salesOf, program, key } = await setUp({ commissionType: 'one_time' });
    const [one, other] = [await join(), await join()];
    await pay('first', { email: 'ada@example.org' }, { referralCode: one.code, occurredAt: ago(2 * HOUR_MS) });
    await pay('second', { id: 'user-1' }, { referralCode: other.code, occurredAt: ago(HOUR_MS) });
    for (const saleId of approved) await approve(saleId, program.programId);
    for (const { affiliateId } of [one, other]) await inTransaction(context(), (ctx) => approveDueConversions(ctx, affiliateId));
    expect(Object.keys(await salesOf()).sort()).toEqual(['first', 'second']);
    await identify({ id: 'user-1', email: 'ada@example.org' });
    for (let times = 0; times < 2; times++) await settle();
    const outcomes = await salesOf();
    expect(
      Object.keys(outcomes)
        .filter((id) => outcomes[id] !== 'NOT_FIRST_PAYMENT')
        .sort(),
    ).toEqual(left);
    const { data } = await api.call('GET', '/conversions', { key });
    const lost = data.filter(({ status }: { status: string }) => status === 'rejected');
    expect(lost).toHaveLength(2 - left.length);
  });

  it('a placeholder for many joins no more than 20 names, and every payment is recorded', async () => {
    const { join, pay, salesOf, customers } = await setUp({ commissionType: 'one_time' });
    const { code, affiliateId } = await join();
    for (let n = 0; n < 24; n++)
      await pay(`sale-${n}`, { id: `user-${n}`, email: 'orders@shop.example' }, { referralCode: code });
    const found = await customers();
    const joined = found.filter(({ customerIds }) => customerIds.length > 1);
    expect(joined.map(({ customerIds }) => customerIds.length)).toEqual([19]);
    expect(found).toHaveLength(1 + 24 - 19);
    const credited = Object.values(await salesOf()).filter((outcome) => outcome === affiliateId);
    expect(credited).toHaveLength(found.length);
  });

  it('many who are joined in a ring at once become one, and nobody waits in a circle', async () => {
    for (let round = 0; round < 4; round++) {
      const { pay, identify, customers } = await setUp();
      const ids = Array.from({ length: 8 }, (_, n) => `user-${n}`);
      await Promise.all(ids.map((id) => pay(`sale-${id}`, { id })));
      await Promise.all(
        ids.flatMap((id, n) => {
          const next = ids[(n + 1) % ids.length] ?? '';
          return [identify({ id, stripeCustomerId: next }), pay(`again-${id}`, { id: next, stripeCustomerId: id })];
        }),
      );
      const found = await customers();
      expect(found.map(({ customerIds }) => customerIds.toSorted())).toEqual([ids]);
    }
  });

  it('an erasure forgets the mailbox and the ids that name the person, and keeps payments together', async () => {
    const { pay, identify, customers, program } = await setUp();
    const email = `ada-${unique()}@example.org`;
    await pay('guest', { email });
    await pay('named', { id: email.toUpperCase(), email });
    await identify({ id: email, email });
    await erasePerson(context(), { email });
    const found = await customers();
    expect(found).toHaveLength(1);
    expect(JSON.stringify(found).toLowerCase()).not.toContain(email);
    const left = await firstRow(
      context().em,
      sql<{ mailboxes: number; named: number }>`select count(*) filter (where kind = 'mailbox')::int as mailboxes,
        count(*) filter (where lower(value) = ${email})::int as named from customer_identity where program_id = ${program.programId}::uuid`,
    );
    expect(left).toEqual({ mailboxes: 0, named: 0 });
  });
});

test('the ledger balances after all of this', async () => {
  expect(await verifyLedger(context())).toEqual([]);
});
