import fc from 'fast-check';
import { findWrongConversionSums } from '../../src/audit/ledger.ts';
import type { AdjustmentKind } from '../../src/contracts/conversions.ts';
import { addUpConversions } from '../../src/domains/conversions/use-cases/add-up-conversions.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { useOwnApi } from '../support/api.ts';
import { inDatabase, inModel, type LedgerProgram, makeLedgerProgram, makeMember, perform } from './support/ledger-member.ts';
import { advance, emptyModel, type Model, type Step, type Verb } from './support/ledger-model.ts';
import { modelRuns } from './support/model-runs.ts';
import { operator } from './support/settled.ts';

/** C6: the ledger as a small model, against the database. `npm run chaos` sets the number of runs. */
const RUNS = modelRuns(200);

const api = useOwnApi();
let at: LedgerProgram;
beforeAll(async () => {
  at = await makeLedgerProgram(api);
});

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
  { weight: 6, arbitrary: fc.constantFrom<Verb>('process', 'complete', 'fail', 'return', 'cancel').chain(decisionOf) },
);

const newest = (verb: Verb): fc.Arbitrary<Step> => fc.constant({ kind: 'decision', pick: 0, verb });

/** Single steps, and what a payout and its return need, because chance alone rarely gets that far. */
const steps = fc
  .array(
    fc.oneof(
      { weight: 20, arbitrary: step.map((one): Step[] => [one]) },
      { weight: 4, arbitrary: fc.tuple(sale, release, payout) },
      { weight: 4, arbitrary: fc.tuple(decisionOf('process'), decisionOf('complete')) },
      { weight: 1, arbitrary: fc.tuple(sale, release, payout, newest('process'), newest('complete'), newest('return')) },
    ),
    { minLength: 4, maxLength: 12 },
  )
  .map((groups): Step[] => groups.flat());

/** Names a step, and tells a refund after the payout from other refunds. */
const nameOf = (step: Step, before: Model, now: Model): string => {
  if (step.kind === 'refund' && now.adjustments.length > before.adjustments.length) return 'refund after payout';
  return step.kind === 'decision' ? step.verb : step.kind;
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
      const member = await makeMember(at);
      const model = emptyModel();
      for (const step of sequence) {
        const before = structuredClone(model);
        const expected = advance(model, step);
        if (expected === null) continue;
        expect([step, await perform(at, member, before, step)]).toEqual([step, expected]);
        expect({ step, ...(await inDatabase(at, member)) }).toEqual({ step, ...inModel(model) });
        expect(await verifyLedger(operator(api.runtime), member)).toEqual([]);
        seen.add(`${nameOf(step, before, model)} ${expected}`);
      }
      // Reads all conversions: what a step got wrong stays in the sums.
      expect(await findWrongConversionSums(operator(api.runtime))).toEqual([]);
      await addUpConversions(operator(api.runtime));
    }),
    { ...RUNS, endOnFailure: true },
  );
  expect(await verifyLedger(operator(api.runtime))).toEqual([]);
  expect(await findWrongConversionSums(operator(api.runtime))).toEqual([]);
  // The sequences reach what they are about.
  expect(REACHED.filter((outcome) => !seen.has(outcome))).toEqual([]);
});
