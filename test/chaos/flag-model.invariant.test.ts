import fc from 'fast-check';
import type { FlagDeadlineAction, FlagResolution, FlagType } from '../../src/contracts/flags.ts';
import { applyFlagDeadline, raiseFlag, rejectFlagged } from '../../src/domains/flags/index.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { rows, sql } from '../../src/platform/database/sql.ts';
import { useOwnApi } from '../support/api.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { advanceFlags, emptyFlagModel, type FlagModel, type FlagStep, flaggable, isFlagStep } from './support/flag-model.ts';
import {
  inDatabase,
  inModel,
  type LedgerProgram,
  type Member,
  makeLedgerProgram,
  makeMember,
  outcomeOf,
  perform,
} from './support/ledger-member.ts';
import { chosen, type Step, type Verb } from './support/ledger-model.ts';
import { modelRuns } from './support/model-runs.ts';
import { operator } from './support/settled.ts';

/** C4: the rules of flags as a small model, against the database. `npm run chaos` sets the number of runs. */
const RUNS = modelRuns(200);

const api = useOwnApi();
let at: LedgerProgram;
beforeAll(async () => {
  at = await makeLedgerProgram(api);
});

const context = () => api.runtime.context({ kind: 'system', name: 'test' });

/** Ids in the order in which they were made. */
const idsOf = async (table: 'conversion' | 'flag', { affiliateId }: Member): Promise<string[]> =>
  (
    await rows(
      context().em,
      sql<{ id: string }>`select id from ${sql.table(table)} where affiliate_id = ${affiliateId}::uuid order by id`,
    )
  ).map(({ id }) => id);

const raise = async (member: Member, { type, picks }: Extract<FlagStep, { kind: 'raise' }>, model: FlagModel) => {
  const conversions = await idsOf('conversion', member);
  if (conversions.length !== flaggable(model).length) throw new Error('the model has other conversions');
  const conversionIds = picks.flatMap((pick) => chosen(conversions, pick) ?? []);
  const { merchantId, program } = at;
  const { affiliateId } = member;
  const finding = { affiliateId, merchantId, programId: program.programId, type, details: {}, conversionIds };
  return (await raiseFlag(context(), finding)).opened ? 'opened' : 'added';
};

const performFlag = async (member: Member, model: FlagModel, step: Exclude<FlagStep, Step>): Promise<string> => {
  const { key } = at;
  if (step.kind === 'raise') return raise(member, step, model);
  if (step.kind === 'unblock') return outcomeOf(await api.call('POST', `/affiliates/${member.affiliateId}/unblock`, { key }));
  const flagId = chosen(await idsOf('flag', member), step.pick) ?? '';
  if (step.kind === 'resolve') {
    const body = { status: step.status, blockAffiliate: step.block && step.status === 'confirmed' };
    return outcomeOf(await api.call('POST', `/flags/${flagId}/resolve`, { key, body }));
  }
  if (step.kind === 'deadline') {
    await api.call('PATCH', '/merchant', { key, body: { flagDeadlineAction: step.action } });
    await rowsOf(api, `update flag set due_at = now() - interval '1 second' where id = ?`, [flagId]);
    await applyFlagDeadline(context(), { flagId });
    return 'ok';
  }
  await rejectFlagged(context(), { flagId });
  return 'ok';
};

const flagsInModel = ({ flags }: FlagModel) =>
  flags.map(({ type, status, holding, deadlineAction, links }) => ({ type, status, holding, deadlineAction, links: links.size }));

const flagsInDatabase = ({ affiliateId }: Member) =>
  rows(
    context().em,
    sql<ReturnType<typeof flagsInModel>[number]>`select type, status, hold_ended_at is null as holding,
        deadline_action as "deadlineAction", conversion_count as links
      from flag where affiliate_id = ${affiliateId}::uuid order by id`,
  );

const pick = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat({ max: 99 }));
const sale = fc.record({ kind: fc.constant('sale' as const), amount: fc.integer({ min: 8_000, max: 40_000 }) });
const release = fc.constant<FlagStep>({ kind: 'release' });
const payout = fc.constant<FlagStep>({ kind: 'payout' });
const raised = fc.record({
  kind: fc.constant('raise' as const),
  type: fc.constantFrom<FlagType>('self_referral', 'conversion_anomaly'),
  picks: fc.array(pick, { maxLength: 3 }),
});
const resolved = fc.record({
  kind: fc.constant('resolve' as const),
  pick,
  status: fc.constantFrom<FlagResolution>('confirmed', 'confirmed', 'dismissed', 'reviewed'),
  block: fc.nat({ max: 3 }).map((n) => n === 0),
});
const deadline = fc.record({
  kind: fc.constant('deadline' as const),
  pick,
  action: fc.constantFrom<FlagDeadlineAction>('keep_open', 'confirm', 'dismiss'),
});
const decision = fc.record({
  kind: fc.constant('decision' as const),
  pick,
  verb: fc.constantFrom<Verb>('process', 'complete', 'fail', 'return', 'cancel'),
});
const refund = fc.record({ kind: fc.constant('refund' as const), pick, percent: fc.constantFrom(10, 50, 100) });
const finished = fc.record({ kind: fc.constant('finish' as const), pick });
const step = fc.oneof(
  { weight: 4, arbitrary: sale },
  { weight: 3, arbitrary: release },
  { weight: 3, arbitrary: payout },
  { weight: 5, arbitrary: decision },
  { weight: 2, arbitrary: refund },
  { weight: 5, arbitrary: raised },
  { weight: 4, arbitrary: resolved },
  { weight: 2, arbitrary: deadline },
  { weight: 3, arbitrary: finished },
  { weight: 1, arbitrary: fc.constant<FlagStep>({ kind: 'unblock' }) },
);

const blocked = resolved.map((one): FlagStep => ({ ...one, pick: 0, status: 'confirmed', block: true }));

/** Single steps, and what a payout and a block need, because chance alone rarely gets that far. */
const steps = fc
  .array(
    fc.oneof(
      { weight: 20, arbitrary: step.map((one): FlagStep[] => [one]) },
      { weight: 4, arbitrary: fc.tuple(sale, release, payout) },
      { weight: 4, arbitrary: fc.tuple(sale, release, raised) },
      { weight: 1, arbitrary: fc.tuple(raised, blocked, payout) },
    ),
    { minLength: 4, maxLength: 12 },
  )
  .map((groups): FlagStep[] => groups.flat());

const REACHED = [
  'raise opened',
  'raise added',
  'resolve ok',
  'resolve ALREADY_RESOLVED',
  'deadline ok',
  'finish ok',
  'unblock ok',
  'payout ok',
  'payout NOTHING_PAYABLE',
  'payout AFFILIATE_BLOCKED',
  'decision ok',
  'refund recorded',
];

it('C4: after any sequence of findings, decisions, deadlines, sales and payouts, flags and money are what the model says', async () => {
  const seen = new Set<string>();
  let heldInPayout = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const member = await makeMember(at);
      const model = emptyFlagModel();
      for (const step of sequence) {
        const before = structuredClone(model);
        const expected = advanceFlags(model, step);
        if (expected === null) continue;
        const performed = isFlagStep(step) ? await performFlag(member, before, step) : await perform(at, member, before, step);
        expect([step, performed]).toEqual([step, expected]);
        const [found, flags] = await Promise.all([inDatabase(at, member), flagsInDatabase(member)]);
        expect({ step, ...found, flags }).toEqual({ step, ...inModel(model), flags: flagsInModel(model) });
        seen.add(`${step.kind} ${expected}`);
        if (model.flags.some(({ status, holding }) => status === 'confirmed' && holding)) heldInPayout++;
      }
      // What a step got wrong stays in the books.
      expect(await verifyLedger(operator(api.runtime), member)).toEqual([]);
    }),
    { ...RUNS, endOnFailure: true },
  );
  expect(await verifyLedger(operator(api.runtime))).toEqual([]);
  expect(REACHED.filter((outcome) => !seen.has(outcome))).toEqual([]);
  expect(heldInPayout).toBeGreaterThan(0);
});
