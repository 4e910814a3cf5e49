import fc from 'fast-check';
import type { AdjustmentKind } from '../../src/contracts/conversions.ts';
import { payableItems } from '../../src/domains/conversions/index.ts';
import { releaseCommissions } from '../../src/domains/conversions/use-cases/release-commissions.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { after, DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/platform/clock.ts';
import { firstRow, rows, sql } from '../../src/platform/database/sql.ts';
import { type TestResponse, useTestApi } from '../support/api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makeProgram,
  sendRefund,
  sendSale,
  type TestProgram,
  unique,
} from '../support/factories.ts';
import {
  advance,
  balanceOf,
  chosen,
  emptyModel,
  itemsOf,
  type Model,
  refundOf,
  type Step,
  THRESHOLD,
  type Verb,
} from './support/ledger-model.ts';
import { operator } from './support/settled.ts';

/** C6: the ledger as a small model, against the database. `npm run chaos` sets the number of runs. */
const RUNS = Number(process.env['TEST_MODEL_RUNS'] ?? 200);
const HOLD_DAYS = 30;

const api = useTestApi();
let key: string;
let program: TestProgram;
beforeAll(async () => {
  ({ key } = await makeMerchant(api.runtime));
  program = await makeProgram(api, key, {
    commissionType: 'one_time',
    commissionPercent: 12.5,
    commissionHoldDays: HOLD_DAYS,
    payoutThreshold: THRESHOLD,
  });
});

const outcomeOf = ({ status, data, error }: TestResponse): string =>
  status < 300 ? (data.outcome ?? 'ok') : (error.details?.reason ?? `${status} ${error.code}`);

/** The end of the hold period has come for everything. */
const releaseAll = async (): Promise<string> => {
  const later = { ...api.runtime.context({ kind: 'system', name: 'test' }) };
  const clock = { now: () => after(new Date(), (HOLD_DAYS + 1) * DAY_MS) };
  await releaseCommissions({ ...later, clock }, { limit: 10_000 });
  return 'ok';
};

/** One affiliate, whose sales occurred in the opposite order of their arrival. */
const makeMember = async () => {
  const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId);
  const name = unique();
  const startsAt = Date.now() + 4 * MINUTE_MS;
  const saleIds: string[] = [];
  const sell = async (customer: number, amount: number) => {
    const saleId = `${name}-${saleIds.length}`;
    const occurredAt = new Date(startsAt - saleIds.length * SECOND_MS).toISOString();
    saleIds.push(saleId);
    const person = { id: `${name}-${customer}`, email: `${name}-${customer}@example.org` };
    return outcomeOf(await sendSale(api, program, { saleId, amount, occurredAt, customer: person, referralCode: code }));
  };
  const payoutIds: string[] = [];
  const pay = async () => {
    const response = await api.call('POST', '/payouts', { key, body: { affiliateId, programId: program.programId } });
    if (response.status === 201) payoutIds.push(response.data.id);
    return outcomeOf(response);
  };
  return { affiliateId, saleIds, payoutIds, sell, pay };
};

type Member = Awaited<ReturnType<typeof makeMember>>;

/** Performs a step that concerns something in the model as it was before. */
const perform = async (member: Member, model: Model, step: Step): Promise<string> => {
  const path = `/affiliates/${member.affiliateId}`;
  const call = async (method: 'POST' | 'PATCH', to: string, body: unknown) =>
    outcomeOf(await api.call(method, to, { key, body }));
  if (step.kind === 'sale') return member.sell(model.customers, step.amount);
  if (step.kind === 'release') return releaseAll();
  if (step.kind === 'payout') return member.pay();
  if (step.kind === 'pause') return call('PATCH', path, { payoutsPaused: step.paused });
  if (step.kind === 'adjustment')
    return call('POST', `${path}/adjustments`, { kind: step.as, amount: step.amount, note: 'Agreed with the affiliate' });
  if (step.kind === 'decision') {
    const body = step.verb === 'fail' ? { note: 'The bank sent it back' } : undefined;
    return call('POST', `/payouts/${chosen(member.payoutIds, step.pick)}/${step.verb}`, body);
  }
  const sale = chosen(model.sales, step.pick);
  if (!sale) throw new Error('the model has no such sale');
  if (step.kind === 'earlier-sale') return member.sell(sale.customer, step.amount);
  const saleId = chosen(member.saleIds, step.pick) ?? '';
  return outcomeOf(await sendRefund(api, program, { saleId, amount: refundOf(sale, step.percent) }));
};

const NO_BALANCE = { pending: 0, payable: 0, inPayout: 0, paid: 0, openAdjustments: 0 };

const byAmount = (items: readonly { kind: string; amount: number }[]) =>
  items.map(({ kind, amount }) => `${kind} ${amount}`).sort();

const inModel = (model: Model) => ({
  balance: balanceOf(model),
  items: byAmount(itemsOf(model)),
  payouts: model.payouts.map(({ amount, status }) => ({ amount, status })),
});

const inDatabase = async ({ affiliateId, payoutIds }: Member): Promise<ReturnType<typeof inModel>> => {
  const ctx = operator(api.runtime);
  const balance = await firstRow(
    ctx.em,
    sql<ReturnType<typeof balanceOf>>`select pending::float8, payable::float8, in_payout::float8 as "inPayout", paid::float8,
      open_adjustments::float8 as "openAdjustments" from ledger_balance where affiliate_id = ${affiliateId}::uuid`,
  );
  const payouts = await rows(
    ctx.em,
    sql<ReturnType<typeof inModel>['payouts'][number]>`select amount::float8, status from payout
      where affiliate_id = ${affiliateId}::uuid order by array_position(${payoutIds}::uuid[], id)`,
  );
  return { balance: balance ?? NO_BALANCE, items: byAmount(await payableItems(ctx, affiliateId, 1)), payouts };
};

/** Mostly the newest. */
const pick = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 99 }));
const amount = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1_000, max: 40_000 }) }, fc.integer({ min: 1, max: 12 }));
const adjustment = fc.oneof(
  fc.tuple(fc.constantFrom<AdjustmentKind>('bonus', 'correction'), fc.integer({ min: 1, max: 3_000 })),
  fc.tuple(fc.constantFrom<AdjustmentKind>('clawback', 'correction'), fc.integer({ min: -3_000, max: -1 })),
);

const sale = fc.record({ kind: fc.constant('sale' as const), amount });
const release = fc.constant<Step>({ kind: 'release' });
const payout = fc.constant<Step>({ kind: 'payout' });
const decisionOf = (verb: Verb) => fc.record({ kind: fc.constant('decision' as const), pick, verb: fc.constant(verb) });
const step = fc.oneof(
  { weight: 4, arbitrary: sale },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('earlier-sale' as const), pick, amount }) },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('refund' as const), pick, percent: fc.constantFrom(10, 33, 50, 100) }),
  },
  { weight: 3, arbitrary: release },
  { weight: 4, arbitrary: adjustment.map(([as, amount]): Step => ({ kind: 'adjustment', as, amount })) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), paused: fc.boolean() }) },
  { weight: 3, arbitrary: payout },
  { weight: 6, arbitrary: fc.constantFrom<Verb>('process', 'complete', 'fail', 'cancel').chain(decisionOf) },
);

/** Single steps, and what a payout needs, because chance alone rarely gets that far. */
const steps = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: step.map((one): Step[] => [one]) },
      { weight: 1, arbitrary: fc.tuple(sale, release, payout) },
      { weight: 1, arbitrary: fc.tuple(decisionOf('process'), decisionOf('complete')) },
    ),
    { minLength: 4, maxLength: 12 },
  )
  .map((groups): Step[] => groups.flat());

/** Of a return and of a refund after the payout too, which are steps like others. */
const nameOf = (step: Step, before: Model, now: Model): string => {
  if (step.kind === 'refund' && now.adjustments.length > before.adjustments.length) return 'refund after payout';
  if (step.kind !== 'decision') return step.kind;
  return step.verb === 'fail' && balanceOf(now).paid < balanceOf(before).paid ? 'return' : step.verb;
};

const REACHED = [
  'sale recorded',
  'earlier-sale recorded',
  'earlier-sale unattributed',
  'refund recorded',
  'refund after payout recorded',
  'adjustment ok',
  'payout ok',
  'payout NOTHING_PAYABLE',
  'process ok',
  'complete ok',
  'cancel ok',
  'return ok',
];

it('C6: after each sale, refund, rejection, release, adjustment, payout and return the ledger is what the model says', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const member = await makeMember();
      const model = emptyModel();
      for (const step of sequence) {
        const before = structuredClone(model);
        const expected = advance(model, step);
        if (expected === null) continue;
        expect([step, await perform(member, before, step)]).toEqual([step, expected]);
        expect({ step, ...(await inDatabase(member)) }).toEqual({ step, ...inModel(model) });
        expect(await verifyLedger(operator(api.runtime))).toEqual([]);
        seen.add(`${nameOf(step, before, model)} ${expected}`);
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  // The sequences reach what they are about.
  expect(REACHED.filter((outcome) => !seen.has(outcome))).toEqual([]);
}, 600_000);
