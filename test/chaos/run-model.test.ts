import fc from 'fast-check';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { transferOf, useRailApi } from '../support/rail-payouts.ts';
import { makePayees, makeRunProgram, PAYEES, type RunStep } from './support/run-sequence.ts';
import { operator } from './support/settled.ts';

/** C4 of payout runs. `npm run chaos` sets the number of sequences. */
const RUNS = Number(process.env['TEST_MODEL_RUNS'] ?? 200);

const api = useRailApi();
let at: Awaited<ReturnType<typeof makeRunProgram>>;
beforeAll(async () => {
  at = await makeRunProgram(api);
});

const payee = fc.nat({ max: PAYEES - 1 });
const sale = fc.record({ kind: fc.constant('sale' as const), payee, amount: fc.integer({ min: 4_000, max: 40_000 }) });
const refund = fc.record({ kind: fc.constant('refund' as const), payee, percent: fc.constantFrom(10, 50, 100) });
const ofPayee = fc.record({
  kind: fc.constantFrom('block', 'unblock', 'hold', 'release', 'details', 'flag', 'dismiss', 'alone'),
  payee,
});
const ofRun = fc.record({
  kind: fc.constantFrom('draft', 'confirm', 'pause', 'resume', 'cancel', 'turn', 'look', 'sweep', 'send'),
});
const killed = fc.record({ kind: fc.constant('killed' as const), after: fc.nat({ max: 7 }) });
const told = fc.record({ kind: fc.constantFrom('paid', 'failed', 'returned'), pick: fc.nat({ max: 5 }) });
const only = (...kinds: ('draft' | 'confirm' | 'pause' | 'resume' | 'turn' | 'look' | 'send')[]): RunStep[] =>
  kinds.map((kind) => ({ kind }));
/** What is held at the draft and released before the payee's turn. */
const risen = payee.map((payee): RunStep[] => [
  { kind: 'sale', payee, amount: 10_000 },
  { kind: 'sale', payee, amount: 20_000 },
  { kind: 'flag', payee },
  ...only('draft', 'confirm'),
  { kind: 'dismiss', payee },
  ...only('turn'),
]);
const blocked = payee.map((payee): RunStep[] => [...only('draft', 'confirm'), { kind: 'block', payee }, ...only('turn')]);
const cameBack: RunStep[] = [...only('turn', 'send'), { kind: 'paid', pick: 0 }, { kind: 'returned', pick: 0 }];

/** Single steps, and what a run needs to get far, because chance alone rarely does. */
const steps = fc
  .tuple(
    fc.array(sale, { minLength: 2, maxLength: 4 }),
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: sale.map((one): RunStep[] => [one]) },
        { weight: 3, arbitrary: refund.map((one): RunStep[] => [one]) },
        { weight: 6, arbitrary: ofPayee.map((one): RunStep[] => [one]) },
        { weight: 6, arbitrary: ofRun.map((one): RunStep[] => [one]) },
        { weight: 3, arbitrary: killed.map((one): RunStep[] => [one]) },
        { weight: 3, arbitrary: told.map((one): RunStep[] => [one]) },
        { weight: 3, arbitrary: fc.constant(only('draft', 'confirm')) },
        { weight: 2, arbitrary: fc.constant(only('turn', 'send')) },
        { weight: 2, arbitrary: fc.constant(only('draft', 'confirm', 'pause', 'turn', 'send', 'resume', 'turn', 'send')) },
        { weight: 1, arbitrary: risen },
        { weight: 1, arbitrary: blocked },
        { weight: 1, arbitrary: fc.constant(cameBack) },
        {
          weight: 2,
          arbitrary: ofPayee.map((one): RunStep[] => [...only('draft', 'confirm'), one, ...only('turn', 'send', 'look')]),
        },
      ),
      { minLength: 4, maxLength: 12 },
    ),
  )
  .map(([sales, groups]): RunStep[] => [...sales, ...groups.flat()]);

const REACHED = [
  'draft ok',
  'confirm ok',
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

it('C4: whatever happens to a run, nobody is paid more, elsewhere or more often than its draft shows', async () => {
  const seen = new Set<string>();
  api.provider.onSubmit((order) => transferOf(order, 'accepted'));
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      api.provider.orders.length = 0;
      const own = await makePayees(at);
      for (const step of sequence) {
        const before = await own.counts();
        seen.add(`${step.kind} ${await own.perform(step)}`);
        const now = await own.counts();
        expect({ step, problems: await own.problems() }).toEqual({ step, problems: [] });
        if (before.isPaused && now.isPaused) expect({ step, ...now }).toEqual({ step, ...before });
      }
      for (const affiliateId of own.ids) expect(await verifyLedger(operator(api.runtime), { affiliateId })).toEqual([]);
      for (const reason of await own.reasons()) seen.add(reason);
      await own.end();
      expect(await own.problems()).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(await verifyLedger(operator(api.runtime))).toEqual([]);
  // The sequences reach what they are about.
  expect(REACHED.filter((outcome) => !seen.has(outcome))).toEqual([]);
}, 1_800_000);
