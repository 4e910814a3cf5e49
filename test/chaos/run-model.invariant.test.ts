import fc from 'fast-check';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { transferOf, useRailApi } from '../support/rail-payouts.ts';
import { modelRuns } from './support/model-runs.ts';
import { makePayees, makeRunPrograms, PAYEES, RUN_STEPS, type RunStep } from './support/run-sequence.ts';
import { operator } from './support/settled.ts';

const api = useRailApi();
let own: Awaited<ReturnType<typeof makeRunPrograms>>;
beforeAll(async () => {
  own = await makeRunPrograms(api);
});

const payee = fc.nat({ max: PAYEES - 1 });
const at = fc.nat({ max: 1 });
const sale = fc.record({ kind: fc.constant('sale' as const), payee, amount: fc.integer({ min: 4_000, max: 40_000 }) });
const bonus = fc.record({ kind: fc.constant('bonus' as const), payee, amount: fc.integer({ min: 100, max: 3_000 }) });
const refund = fc.record({ kind: fc.constant('refund' as const), payee, percent: fc.constantFrom(10, 50, 100) });
const ofPayee = fc.record({
  kind: fc.constantFrom('block', 'unblock', 'hold', 'release', 'details', 'flag', 'dismiss', 'alone', 'allow'),
  payee,
});
const ofRun = fc.record({ kind: fc.constantFrom(...RUN_STEPS, 'approve own' as const), at });
const draft = fc.record({ kind: fc.constant('draft' as const), at, both: fc.boolean() });
const killed = fc.record({ kind: fc.constant('killed' as const), at, after: fc.nat({ max: 7 }) });
const told = fc.record({ kind: fc.constantFrom('paid', 'failed', 'returned'), pick: fc.nat({ max: 5 }) });

const send: RunStep = { kind: 'send' };
const start = (at: number): RunStep[] => [
  { kind: 'draft', at, both: false },
  { kind: 'confirm', at },
  { kind: 'approve', at },
];
const turn = (at: number): RunStep => ({ kind: 'turn', at });
const slotOf = (payee: number): number => (payee < PAYEES - 1 ? 0 : 1);
/** What is held at the draft and released before the payee's turn. */
const risen = fc
  .tuple(payee, at)
  .map(([payee, at]): RunStep[] => [
    { kind: 'sale', payee, amount: 10_000 },
    { kind: 'sale', payee, amount: 20_000 },
    { kind: 'flag', payee },
    ...start(at),
    { kind: 'dismiss', payee },
    turn(at),
  ]);
const cameBack = at.map((at): RunStep[] => [turn(at), send, { kind: 'paid', pick: 0 }, { kind: 'returned', pick: 0 }]);
const pausedInBetween = at.map((at): RunStep[] => [
  ...start(at),
  { kind: 'pause', at },
  turn(at),
  send,
  { kind: 'resume', at },
  turn(at),
  send,
]);
const changed = ofPayee.map((one): RunStep[] => {
  const at = slotOf(one.payee);
  return [...start(at), one, turn(at), send, { kind: 'look', at }];
});
const changedFor = (kind: 'block' | 'details') =>
  payee.map((payee): RunStep[] => [
    { kind: 'sale', payee, amount: 10_000 },
    ...start(slotOf(payee)),
    { kind, payee },
    turn(slotOf(payee)),
  ]);
const askedThemselves = at.map((at): RunStep[] => [...start(at).slice(0, 2), { kind: 'approve own', at }]);
const largeAlone = fc
  .tuple(payee, fc.boolean())
  .map(([payee, withBonus]): RunStep[] => [
    { kind: 'sale', payee, amount: 40_000 },
    ...(withBonus ? [{ kind: 'bonus' as const, payee, amount: 1_000 }] : []),
    { kind: 'alone', payee },
    { kind: 'allow', payee },
    send,
  ]);
const bothPrograms: RunStep[] = [...start(0), ...start(1), turn(0), turn(1), send];

/** Single steps, and what a run needs to get far, because chance alone rarely does. */
const steps = fc
  .tuple(
    fc.array(sale, { minLength: 2, maxLength: 4 }),
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: sale.map((one): RunStep[] => [one]) },
        { weight: 2, arbitrary: bonus.map((one): RunStep[] => [one]) },
        { weight: 3, arbitrary: refund.map((one): RunStep[] => [one]) },
        { weight: 6, arbitrary: ofPayee.map((one): RunStep[] => [one]) },
        { weight: 6, arbitrary: ofRun.map((one): RunStep[] => [one]) },
        { weight: 2, arbitrary: draft.map((one): RunStep[] => [one]) },
        { weight: 3, arbitrary: killed.map((one): RunStep[] => [one]) },
        { weight: 3, arbitrary: told.map((one): RunStep[] => [one]) },
        { weight: 3, arbitrary: at.map(start) },
        { weight: 2, arbitrary: at.map((at): RunStep[] => [turn(at), send]) },
        { weight: 2, arbitrary: pausedInBetween },
        { weight: 1, arbitrary: risen },
        { weight: 1, arbitrary: changedFor('block') },
        { weight: 1, arbitrary: changedFor('details') },
        { weight: 1, arbitrary: cameBack },
        { weight: 1, arbitrary: fc.constant(bothPrograms) },
        { weight: 1, arbitrary: askedThemselves },
        { weight: 1, arbitrary: largeAlone },
        { weight: 2, arbitrary: changed },
      ),
      { minLength: 4, maxLength: 12 },
    ),
  )
  .map(([sales, groups]): RunStep[] => [...sales, ...groups.flat()]);

const sold = (payee: number, amount = 40_000): RunStep => ({ kind: 'sale', payee, amount });
const told0 = (kind: 'paid' | 'failed' | 'returned'): RunStep => ({ kind, pick: 0 });
const alone = (payee: number): RunStep[] => [
  { kind: 'alone', payee },
  { kind: 'allow', payee },
];
/** Each outcome that the sequences have to reach, because chance may miss a rare one. */
const EXAMPLES: RunStep[][] = [
  [sold(0), { kind: 'flag', payee: 0 }, sold(1), ...start(0), turn(0)],
  [sold(0), sold(1), ...start(0), { kind: 'killed', at: 0, after: 2 }, turn(0), send, told0('failed')],
  [sold(0), sold(1), ...start(0), { kind: 'cancel', at: 0 }, { kind: 'sweep', at: 0 }],
  [sold(0), sold(0, 20_000), { kind: 'flag', payee: 0 }, ...start(0), { kind: 'dismiss', payee: 0 }, turn(0)],
  [sold(0), { kind: 'hold', payee: 0 }, ...start(0), turn(0)],
  [sold(0), { kind: 'bonus', payee: 0, amount: 1_000 }, ...start(0)],
  [sold(0), { kind: 'bonus', payee: 0, amount: 1_000 }, ...alone(0)],
  [sold(0), ...alone(0), ...start(0)],
  [sold(0), sold(1), ...start(0).slice(0, 2), { kind: 'approve own', at: 0 }],
  [sold(0), sold(1), ...start(0), { kind: 'block', payee: 0 }, { kind: 'details', payee: 1 }, turn(0)],
  [sold(2, 5_000), ...start(1), { kind: 'pause', at: 1 }, { kind: 'resume', at: 1 }, turn(1), send, told0('paid')],
  [sold(2, 5_000), ...start(1), turn(1), send, told0('paid'), { kind: 'look', at: 1 }, told0('returned')],
];

const REACHED = [
  'draft ok',
  'confirm running',
  'confirm awaiting_approval',
  'approve ok',
  'approve SAME_ACTOR',
  'approve own SAME_ACTOR',
  'allow ok',
  'allow SAME_ACTOR',
  'bonus ok',
  'pause ok',
  'resume ok',
  'cancel ok',
  'killed killed',
  'look completed',
  'paid ok',
  'failed ok',
  'returned ok',
  'AFFILIATE_BLOCKED',
  'AMOUNT_ROSE',
  'DETAILS_CHANGED',
  'HELD_BY_FLAG',
  'PAYOUTS_PAUSED',
  'PAYOUT_IN_FLIGHT',
  'RUN_CANCELLED',
];

it('C4: whatever happens to runs, nobody is paid more, elsewhere or more often than shown, or without an approval', async () => {
  const seen = new Set<string>();
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      api.provider.orders.length = 0;
      const payees = await makePayees(own);
      for (const step of sequence) {
        const before = await payees.counts();
        seen.add(`${step.kind} ${await payees.perform(step)}`);
        const now = await payees.counts();
        expect({ step, problems: await payees.problems() }).toEqual({ step, problems: [] });
        for (const [runId, count] of Object.entries(before))
          if (runId in now) expect({ step, runId, ...now[runId] }).toEqual({ step, runId, ...count });
      }
      for (const affiliateId of payees.ids) expect(await verifyLedger(operator(api.runtime), { affiliateId })).toEqual([]);
      const reasons = await payees.reasons();
      for (const reason of reasons) seen.add(reason);
      await payees.end();
      expect(await payees.problems()).toEqual([]);
    }),
    { ...modelRuns(200), examples: EXAMPLES.map((example): [RunStep[]] => [example]), endOnFailure: true },
  );
  expect(await verifyLedger(operator(api.runtime))).toEqual([]);
  // The sequences reach what they are about.
  expect(REACHED.filter((outcome) => !seen.has(outcome))).toEqual([]);
});
