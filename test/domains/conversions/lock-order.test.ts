import { lockMembership } from '../../../src/domains/affiliates/index.ts';
import { blockAffiliate } from '../../../src/domains/affiliates/use-cases/block-affiliate.ts';
import { lockBalance, verifyLedger } from '../../../src/domains/ledger/index.ts';
import { lockProgramShared } from '../../../src/domains/programs/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makeProgram,
  saleEvent,
  sendRefund,
  sendSale,
  sendUnscreened,
  unique,
} from '../../support/factories.ts';
import { recordStatements, type StatementsOf } from '../../support/statements.ts';

const api = useTestApi({ RAIL_PAYPAL: 'manual' });
let statementsOf: StatementsOf;
beforeAll(async () => {
  statementsOf = await recordStatements(api);
});

const context = () => api.runtime.context({ kind: 'system', name: 'test' });

const setUp = async (settings: Record<string, unknown> = {}) => {
  const { key } = await makeMerchant(api.runtime);
  const program = await makeProgram(api, key, settings);
  return { key, program, ...(await makeAffiliate(api.runtime, program.programId, `ok+${unique()}`)) };
};

it('a sale takes few statements, and locks the balance for the last two', async () => {
  const { program, code } = await setUp({ commissionHoldDays: 30 });
  await sendSale(api, program, { referralCode: code });
  const statements = await statementsOf(() => sendUnscreened(api, program, saleEvent({ referralCode: code })));
  const locked = statements.findIndex((text) => text.includes('ledger_balance'));
  expect(statements.length).toBeLessThanOrEqual(10);
  expect(statements.slice(locked).map((text) => /ledger_balance|commit/.exec(text)?.[0])).toEqual(['ledger_balance', 'commit']);
});

it('sales share the lock of a membership, and a block waits for them', async () => {
  const { affiliateId } = await setUp();
  const order: string[] = [];
  let blocking: Promise<unknown> | undefined;
  await inTransaction(context(), async (ctx) => {
    await lockMembership(ctx, affiliateId);
    await inTransaction(context(), (other) => lockMembership(other, affiliateId));
    blocking = blockAffiliate(context(), { id: affiliateId }).then(() => order.push('blocked'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    order.push('sale');
  });
  await blocking;
  expect(order).toEqual(['sale', 'blocked']);
});

it('a block and a change of the program come before the sales that arrive after them, however many keep coming', async () => {
  const { key, program, affiliateId, code } = await setUp();
  const order: string[] = [];
  const record = (name: string) => (answer: unknown) => order.push(`${name}: ${JSON.stringify(answer)}`);
  const pause = () => new Promise((resolve) => setTimeout(resolve, 200));
  const waiting: Promise<unknown>[] = [];
  await inTransaction(context(), async (ctx) => {
    await lockProgramShared(ctx, program.programId);
    await lockMembership(ctx, affiliateId);
    const changed = api.call('PATCH', `/programs/${program.programId}`, { key, body: { commissionPercent: 30 } });
    waiting.push(changed.then(({ status }) => record('program')(status)));
    waiting.push(blockAffiliate(context(), { id: affiliateId }).then(({ status }) => record('affiliate')(status)));
    await pause();
    waiting.push(
      sendUnscreened(api, program, saleEvent({ referralCode: code })).then(({ data }) => record('sale')(data.outcome)),
      inTransaction(context(), (other) => lockMembership(other, affiliateId)).then(({ status }) => record('sees')(status)),
    );
    await pause();
    expect(order).toEqual([]);
  });
  await Promise.all(waiting);
  expect(order.toSorted()).toEqual(['affiliate: "blocked"', 'program: 200', 'sale: "unattributed"', 'sees: "blocked"']);
});

it('a block that waits for the balance does not hold up the foreign keys of its holder', async () => {
  const { program, affiliateId, code } = await setUp();
  await sendSale(api, program, { referralCode: code });
  let blocking: Promise<unknown> | undefined;
  await inTransaction(context(), async (ctx) => {
    await lockBalance(ctx, affiliateId);
    blocking = blockAffiliate(context(), { id: affiliateId });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await execute(ctx.em, sql`select 1 from affiliate where id = ${affiliateId}::uuid for key share`);
  });
  expect(await blocking).toMatchObject({ status: 'blocked' });
});

it('everything that books or locks one affiliate at the same time ends without a deadlock', async () => {
  const { key, program, affiliateId, code } = await setUp();
  const { programId } = program;
  const sale = (saleId: string) => sendSale(api, program, { saleId, referralCode: code });
  const responses: { status: number }[] = [];
  for (let round = 0; round < 12; round++) {
    const sold = unique();
    await sale(sold);
    const body = { affiliateId, programId };
    responses.push(
      ...(await Promise.all([
        sale(unique()),
        api.call('POST', `/affiliates/${affiliateId}/block`, { key, body: {} }),
        sale(unique()),
        api.call('POST', '/payouts', { key, body }),
        sendRefund(api, program, { saleId: sold, amount: 100 }),
        api.call('POST', `/affiliates/${affiliateId}/unblock`, { key }),
        api.call('POST', `/affiliates/${affiliateId}/adjustments`, { key, body: { amount: 100, kind: 'bonus', note: 'test' } }),
        api.call('PATCH', `/affiliates/${affiliateId}`, { key, body: { commissionPercent: round + 1 } }),
        sale(unique()),
      ])),
    );
    await api.call('POST', `/affiliates/${affiliateId}/unblock`, { key });
  }
  // 409: nothing is payable, a payout is in flight, or the affiliate is blocked.
  expect(responses.filter(({ status }) => status >= 400 && status !== 409)).toEqual([]);
  expect(await verifyLedger(context())).toEqual([]);
});
