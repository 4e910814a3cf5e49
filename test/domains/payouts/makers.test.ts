import { updateProgram } from '../../../src/domains/programs/use-cases/program.ts';
import { DAY_MS } from '../../../src/platform/clock.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeAffiliateKey, makeKey, makeMerchant, makeProgram, sendSale, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { screenAll } from '../../support/screening.ts';

const api = useOwnApi({ RAIL_PAYPAL: 'manual' });
const SAME_LINE = { reason: 'SAME_ACTOR', cause: 'same_line' };

/** Keys of four lines at a merchant who has every payout approved: one pays, two make something, and one only approves. */
const makeOffice = async () => {
  const { merchantId, key: payer } = await makeMerchant(api.runtime);
  const newKey = () => makeKey(api.runtime, { ownerId: merchantId });
  const [{ key: maker, keyId: makerId }, { key: third }, { key: neutral }] = [await newKey(), await newKey(), await newKey()];
  await api.call('PATCH', '/merchant', { key: payer, body: { payoutApprovalThreshold: { usd: 1_000 } } });
  const program = await makeProgram(api, payer);
  const { programId } = program;
  const add = async (key: string, paypalEmail: string | null = `ok+${unique()}@example.com`) => {
    const body = { programId, email: `a-${unique()}@example.com`, ...(paypalEmail !== null && { paypalEmail }) };
    const { status, data, text } = await api.call('POST', '/affiliates', { key, body });
    if (status !== 201) throw new Error(`no affiliate: ${text}`);
    return data as { id: string; code: string };
  };
  const sell = (referralCode?: string) => {
    const saleId = `sale-${unique()}`;
    return sendSale(api, program, { saleId, ...(referralCode !== undefined && { referralCode }) }).then(() => saleId);
  };
  const call = (key: string, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    api.call(method, path, { key, ...(body && { body }) });
  const credit = async (key: string, affiliateId: string) => {
    const [sale] = (await api.call('GET', '/sales', { key, query: { externalSaleId: await sell() } })).data;
    await call(key, 'POST', `/sales/${sale.id}/attribute`, { affiliateId, note: 'Named in a call' });
    await screenAll(api.runtime);
  };
  const pay = async (affiliateId: string) => {
    const { status, data, text } = await call(payer, 'POST', '/payouts', { affiliateId, programId });
    if (status !== 201) throw new Error(`no payout: ${text}`);
    expect(data.approvalRequiredAt).toBe(data.createdAt);
    return data;
  };
  const approve = async (key: string, { id }: { id: string }) => {
    const { status, error } = await call(key, 'POST', `/payouts/${id}/approve`);
    return error ? { ...error.details } : status;
  };
  const complete = async ({ id }: { id: string }) => {
    for (const verb of ['process', 'complete']) expect((await call(third, 'POST', `/payouts/${id}/${verb}`)).status).toBe(200);
  };
  /** As the second line did it some days ago. */
  const makerAgo = (days: number) => ({
    ...api.runtime.context({ kind: 'key', keyId: makerId, keyType: 'merchant', ownerId: merchantId, scopes: ['programs:write'] }),
    clock: { now: () => new Date(Date.now() - days * DAY_MS) },
  });
  return {
    merchantId,
    payer,
    maker,
    makerId,
    third,
    neutral,
    programId,
    add,
    sell,
    call,
    credit,
    pay,
    approve,
    complete,
    makerAgo,
  };
};

type Office = Awaited<ReturnType<typeof makeOffice>>;

/** What the maker does before the payout to an affiliate, and whether that makes them its maker. */
const ACTS: readonly [what: string, isMaker: boolean, act: (office: Office) => Promise<{ id: string }>][] = [
  [
    'added the affiliate with an account',
    true,
    async ({ add, maker, sell }) => {
      const added = await add(maker);
      await sell(added.code);
      return added;
    },
  ],
  [
    'added the affiliate, whose account somebody else entered',
    false,
    async ({ add, maker, third, call, sell }) => {
      const added = await add(maker, null);
      await call(third, 'PATCH', `/affiliates/${added.id}`, { paypalEmail: 'new@example.com' });
      await sell(added.code);
      return added;
    },
  ],
  [
    'changed the account',
    true,
    async ({ add, maker, third, call, sell }) => {
      const added = await add(third);
      await sell(added.code);
      await call(maker, 'PATCH', `/affiliates/${added.id}`, { paypalEmail: 'other@example.com' });
      return added;
    },
  ],
  [
    'entered an account that the affiliate replaced',
    false,
    async ({ add, maker, call, sell }) => {
      const added = await add(maker);
      await sell(added.code);
      const [membership] = await rowsOf(api, 'select profile_id from affiliate where id = ?', [added.id]);
      const own = await makeAffiliateKey(api.runtime, membership?.['profile_id']);
      expect((await call(own, 'PATCH', '/me/payout-info', { paypalEmail: 'own@example.com' })).status).toBe(200);
      return added;
    },
  ],
  [
    'credited a sale by hand',
    true,
    async ({ add, maker, third, credit }) => {
      const added = await add(third);
      await credit(maker, added.id);
      return added;
    },
  ],
  [
    'credited a sale of somebody else by hand',
    false,
    async ({ add, maker, third, credit, sell }) => {
      const [added, other] = [await add(third), await add(third)];
      await credit(maker, other.id);
      await sell(added.code);
      return added;
    },
  ],
  [
    'set the percent of the affiliate before the sale',
    true,
    async ({ add, maker, third, call, sell }) => {
      const added = await add(third);
      await call(maker, 'PATCH', `/affiliates/${added.id}`, { commissionPercent: 90 });
      await sell(added.code);
      return added;
    },
  ],
  [
    'set the percent of the affiliate after the sale',
    false,
    async ({ add, maker, third, call, sell }) => {
      const added = await add(third);
      await sell(added.code);
      await call(maker, 'PATCH', `/affiliates/${added.id}`, { commissionPercent: 90 });
      return added;
    },
  ],
  [
    'changed other settings of the affiliate and the program',
    false,
    async ({ add, maker, third, call, sell, programId }) => {
      const added = await add(third);
      await call(maker, 'PATCH', `/affiliates/${added.id}`, { externalId: unique() });
      await call(maker, 'PATCH', `/programs/${programId}`, { name: 'Another name' });
      await sell(added.code);
      return added;
    },
  ],
  [
    'changed the percent of the program before the sale',
    true,
    async ({ add, maker, third, call, sell, programId }) => {
      const added = await add(third);
      await call(maker, 'PATCH', `/programs/${programId}`, { commissionPercent: 90 });
      await sell(added.code);
      return added;
    },
  ],
  [
    'changed the terms of the program before the sale',
    true,
    async ({ add, maker, third, call, sell, programId }) => {
      const added = await add(third);
      await call(maker, 'PATCH', `/programs/${programId}`, { commissionType: 'recurring_limited', commissionLimitMonths: 6 });
      await sell(added.code);
      return added;
    },
  ],
  [
    'changed the percent of the program 31 days before',
    false,
    async ({ add, third, makerAgo, sell, programId }) => {
      const added = await add(third);
      await updateProgram(makerAgo(31), { id: programId, changes: { commissionPercent: 90 } });
      await sell(added.code);
      return added;
    },
  ],
  [
    'changed the percent of the program 29 days before',
    true,
    async ({ add, third, makerAgo, sell, programId }) => {
      const added = await add(third);
      await updateProgram(makerAgo(29), { id: programId, changes: { commissionPercent: 90 } });
      await sell(added.code);
      return added;
    },
  ],
];

describe('MN2: whoever steers a payout does not approve it', () => {
  it.each(ACTS)('%s: %j', async (_, isMaker, act) => {
    const office = await makeOffice();
    const { pay, approve, maker, neutral, call } = office;
    const payout = await pay((await act(office)).id);
    const { data: made } = await call(maker, 'POST', '/auth/keys', { name: 'child', preset: 'merchant:full' });
    if (isMaker) expect([await approve(maker, payout), await approve(made.value, payout)]).toEqual([SAME_LINE, SAME_LINE]);
    expect(await approve(isMaker ? neutral : maker, payout)).toBe(200);
  });

  it('after a payout that reached the account, whoever entered it may approve the next one, until they change it', async () => {
    const { add, sell, pay, approve, complete, call, maker, third } = await makeOffice();
    const added = await add(maker);
    const next = async () => {
      await sell(added.code);
      return pay(added.id);
    };
    const failed = await next();
    expect(await approve(maker, failed)).toEqual(SAME_LINE);
    await call(third, 'POST', `/payouts/${failed.id}/cancel`);
    const first = await pay(added.id);
    expect(await approve(maker, first)).toEqual(SAME_LINE);
    expect(await approve(third, first)).toBe(200);
    await complete(first);
    const second = await next();
    expect(await approve(maker, second)).toBe(200);
    await complete(second);
    await call(maker, 'PATCH', `/affiliates/${added.id}`, { paypalEmail: 'other@example.com' });
    const moved = await next();
    expect(await approve(maker, moved)).toEqual(SAME_LINE);
  });

  it('the approver sees who entered the account, and when', async () => {
    const { add, sell, pay, call, maker, makerId, third } = await makeOffice();
    const added = await add(maker);
    await sell(added.code);
    const payout = await pay(added.id);
    expect(payout).toMatchObject({ accountEnteredBy: `key:${makerId}`, accountEnteredAt: expect.any(String) });
    const { data } = await call(third, 'GET', `/payouts/${payout.id}`);
    expect(data).toMatchObject({ accountEnteredBy: payout.accountEnteredBy, accountEnteredAt: payout.accountEnteredAt });
  });

  it('a run is approved without the items that the approver made, and not at all when no item is left', async () => {
    const office = await makeOffice();
    const { add, sell, call, credit, payer, maker, third, neutral, programId } = office;
    const account = await add(maker);
    await sell(account.code);
    const credited = await add(third);
    await credit(maker, credited.id);
    const bonus = await add(third);
    await sell(bonus.code);
    for (const { code } of [await add(third), await add(third)]) await sell(code);
    const given = await call(maker, 'POST', `/affiliates/${bonus.id}/adjustments`, {
      amount: 100,
      kind: 'bonus',
      note: 'Thanks',
    });
    expect(given.data.status).toBe('booked');
    const draft = async (affiliateIds?: string[]) => {
      const { data } = await call(payer, 'POST', '/payout-runs', { programId, ...(affiliateIds && { affiliateIds }) });
      const { total, items } = data;
      const confirmed = await call(payer, 'POST', `/payout-runs/${data.id}/confirm`, { total, items });
      expect(confirmed.data.status).toBe('awaiting_approval');
      return data;
    };
    const run = await draft();
    expect(run).toMatchObject({ total: { usd: 10_100 }, items: 5 });
    const { data: approved } = await call(maker, 'POST', `/payout-runs/${run.id}/approve`);
    expect(approved).toMatchObject({ status: 'running', total: { usd: 4_000 }, items: 2 });
    const { data: leftOut } = await api.call('GET', `/payout-runs/${run.id}/items`, {
      key: third,
      query: { reason: 'SAME_ACTOR', limit: '100' },
    });
    const ids = leftOut.map(({ affiliateId }: { affiliateId: string }) => affiliateId).sort();
    expect(ids).toEqual([account.id, bonus.id, credited.id].sort());
    await call(third, 'POST', `/payout-runs/${run.id}/cancel`);
    const rest = await draft([account.id, bonus.id, credited.id]);
    const refused = await call(maker, 'POST', `/payout-runs/${rest.id}/approve`);
    expect(refused.error?.details).toMatchObject(SAME_LINE);
    const { data: unchanged } = await call(third, 'GET', `/payout-runs/${rest.id}`);
    expect(unchanged).toMatchObject({ status: 'awaiting_approval', total: { usd: 6_100 }, items: 3 });
    expect((await call(neutral, 'POST', `/payout-runs/${rest.id}/approve`)).data.status).toBe('running');
  });
});
