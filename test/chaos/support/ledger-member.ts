import { payableItems } from '../../../src/domains/conversions/index.ts';
import { approveCommissions } from '../../../src/domains/conversions/use-cases/approve-commissions.ts';
import { screenConversions } from '../../../src/domains/flags/index.ts';
import { after, DAY_MS, MINUTE_MS, SECOND_MS } from '../../../src/platform/clock.ts';
import { firstRow, sql } from '../../../src/platform/database/sql.ts';
import type { TestApi, TestResponse } from '../../support/api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makeProgram,
  refundEvent,
  saleEvent,
  sendUnscreened,
  type TestMerchant,
  type TestProgram,
  unique,
} from '../../support/factories.ts';
import { balanceOf, chosen, itemsOf, type Model, refundOf, type Step, THRESHOLD } from './ledger-model.ts';
import { operator } from './settled.ts';

const HOLD_DAYS = 30;

/** Where sequences of steps are performed: sales, payouts and what else concerns money. */
export interface LedgerProgram extends TestMerchant {
  api: TestApi;
  program: TestProgram;
}

export const makeLedgerProgram = async (api: TestApi): Promise<LedgerProgram> => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key, {
    commissionType: 'one_time',
    commissionPercent: 12.5,
    commissionHoldDays: HOLD_DAYS,
    payoutThreshold: THRESHOLD,
  });
  return { ...merchant, api, program };
};

export const outcomeOf = ({ status, data, error }: TestResponse): string =>
  status < 300 ? (data.outcome ?? 'ok') : (error.details?.reason ?? `${status} ${error.code}`);

/** The end of the hold period has come for everything, after the member's sales were screened. */
const releaseAll = async ({ api }: LedgerProgram, { screen }: Member): Promise<string> => {
  await screen();
  const later = { ...api.runtime.context({ kind: 'system', name: 'test' }) };
  const clock = { now: () => after(new Date(), (HOLD_DAYS + 1) * DAY_MS) };
  await approveCommissions({ ...later, clock }, { limit: 10_000 });
  return 'ok';
};

/** Screens the affiliate's conversions, as the workflow of its shard does. */
const screeningOf = async ({ runtime }: TestApi, affiliateId: string) => {
  const context = () => runtime.context({ kind: 'system', name: 'screening' });
  const found = await firstRow(context().em, sql<{ shard: number }>`select screening_shard(${affiliateId}::uuid) as shard`);
  if (!found) throw new Error('the query returned no row');
  return () => screenConversions(context(), { shard: found.shard, limit: 100 });
};

/** One affiliate, whose sales occurred in the opposite order of their arrival. */
export const makeMember = async ({ api, key, program }: LedgerProgram) => {
  const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId);
  const screenAll = await screeningOf(api, affiliateId);
  let isScreened = true;
  const screen = async () => {
    if (!isScreened) await screenAll();
    isScreened = true;
  };
  const name = unique();
  const startsAt = Date.now() + 4 * MINUTE_MS;
  const saleIds: string[] = [];
  const sell = async (customer: number, amount: number) => {
    const saleId = `${name}-${saleIds.length}`;
    const occurredAt = new Date(startsAt - saleIds.length * SECOND_MS).toISOString();
    saleIds.push(saleId);
    const person = { id: `${name}-${customer}`, email: `${name}-${customer}@example.org` };
    isScreened = false;
    const event = saleEvent({ saleId, amount, occurredAt, customer: person, referralCode: code });
    return outcomeOf(await sendUnscreened(api, program, event));
  };
  const payoutIds: string[] = [];
  const pay = async () => {
    const response = await api.call('POST', '/payouts', { key, body: { affiliateId, programId: program.programId } });
    if (response.status === 201) payoutIds.push(response.data.id);
    return outcomeOf(response);
  };
  return { affiliateId, saleIds, payoutIds, sell, screen, pay };
};

export type Member = Awaited<ReturnType<typeof makeMember>>;

/** Performs a step that concerns something in the model as it was before. */
export const perform = async (at: LedgerProgram, member: Member, model: Model, step: Step): Promise<string> => {
  const { api, key, program } = at;
  const path = `/affiliates/${member.affiliateId}`;
  const call = async (method: 'POST' | 'PATCH', to: string, body: unknown) =>
    outcomeOf(await api.call(method, to, { key, body }));
  if (step.kind === 'sale') return member.sell(model.customers, step.amount);
  if (step.kind === 'release') return releaseAll(at, member);
  if (step.kind === 'payout') return member.pay();
  if (step.kind === 'pause') return call('PATCH', path, { payoutsPaused: step.paused });
  if (step.kind === 'adjustment')
    return call('POST', `${path}/adjustments`, { kind: step.as, amount: step.amount, note: 'Agreed with the affiliate' });
  if (step.kind === 'decision') {
    const body = step.verb === 'fail' || step.verb === 'return' ? { note: 'The bank sent it back' } : undefined;
    return call('POST', `/payouts/${chosen(member.payoutIds, step.pick)}/${step.verb}`, body);
  }
  const sale = chosen(model.sales, step.pick);
  if (!sale) throw new Error('the model has no such sale');
  if (step.kind === 'earlier-sale') return member.sell(sale.customer, step.amount);
  const saleId = chosen(member.saleIds, step.pick) ?? '';
  // After every sale of the member.
  const occurredAt = new Date(Date.now() + 4 * MINUTE_MS).toISOString();
  return outcomeOf(await sendUnscreened(api, program, refundEvent({ saleId, amount: refundOf(sale, step.percent), occurredAt })));
};

const NO_BALANCE = { pending: 0, payable: 0, inPayout: 0, paid: 0, openAdjustments: 0 };

const byAmount = (items: readonly { kind: string; amount: number }[]) =>
  items.map(({ kind, amount }) => `${kind} ${amount}`).sort();

export const inModel = (model: Model) => ({
  balance: balanceOf(model),
  items: byAmount(itemsOf(model)),
  payouts: model.payouts.map(({ amount, status }) => ({ amount, status })),
});

export const inDatabase = async (
  { api }: LedgerProgram,
  { affiliateId, payoutIds }: Member,
): Promise<ReturnType<typeof inModel>> => {
  const stored = firstRow(
    operator(api.runtime).em,
    sql<Pick<ReturnType<typeof inModel>, 'payouts'> & { balance: ReturnType<typeof balanceOf> | null }>`select
      (select jsonb_build_object('pending', pending, 'payable', payable, 'inPayout', in_payout, 'paid', paid,
          'openAdjustments', open_adjustments)
        from ledger_balance where affiliate_id = ${affiliateId}::uuid) as balance,
      (select coalesce(jsonb_agg(jsonb_build_object('amount', amount, 'status', status)
          order by array_position(${payoutIds}::uuid[], id)), '[]')
        from payout where affiliate_id = ${affiliateId}::uuid) as payouts`,
  );
  const [found, items] = await Promise.all([stored, payableItems(operator(api.runtime), affiliateId, { atLeast: 1 })]);
  return { balance: found?.balance ?? NO_BALANCE, items: byAmount(items), payouts: found?.payouts ?? [] };
};
