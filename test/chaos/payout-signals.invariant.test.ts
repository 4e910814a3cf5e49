import pMap from 'p-map';
import { payoutLifecycle } from '../../src/contracts/workflows/payout-lifecycle.ts';
import type { PayoutSnapshot } from '../../src/contracts/workflows/payouts.ts';
import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { createDispatch, type Dispatch } from '../../src/temporal/relay/dispatch.ts';
import { createRelay } from '../../src/temporal/relay/relay.ts';
import { startTemporalWorkers } from '../../src/worker/temporal-workers.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale, unique } from '../support/factories.ts';
import { openTestSystem, type TestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { outcomeOf } from '../support/workflow-outcome.ts';
import { type SeededRandom, seededRandom } from './support/seeded-random.ts';

const PAYOUTS = 200;
const LOCALS = ['ok', 'notifications-twice', 'notifications-reversed', 'fail-later', 'fail-definite'] as const;

const PENDING: PayoutSnapshot = {
  version: 1,
  status: 'pending',
  attemptId: null,
  attempts: 0,
  attemptOutcome: null,
  sendCount: 0,
  needsAttention: false,
  reviewReason: null,
  railReason: null,
  failureCode: null,
  resendAt: null,
  onHold: null,
};

/** Each signal among repeated and older ones, in any order. Some workflows are started by a signal. */
const confused =
  (dispatch: Dispatch, random: SeededRandom): Dispatch =>
  async (start) => {
    if (!start.signal) {
      if (random.integer(3) === 0) await dispatch({ ...start, signal: payoutLifecycle.signal.name, signalArgs: [PENDING] });
      return dispatch(start);
    }
    const newest = start.signalArgs?.[0] as PayoutSnapshot;
    const older = { ...newest, version: newest.version - 1, status: 'processing', attemptOutcome: 'unknown', failureCode: null };
    const shuffled = [newest, newest, older, older, PENDING, PENDING]
      .map((snapshot) => ({ snapshot, at: random.integer(1_000_000) }))
      .sort((a, b) => a.at - b.at);
    for (const { snapshot } of shuffled) await dispatch({ ...start, signalArgs: [snapshot] });
  };

const createPayouts = async (system: TestSystem) => {
  const { key } = await makeMerchant(system.runtime);
  const program = await makeProgram(system, key);
  const create = async (at: number): Promise<string> => {
    const local = `${LOCALS[at % LOCALS.length]}+${unique()}`;
    const { affiliateId, code } = await makeAffiliate(system.runtime, program.programId, local);
    await sendSale(system, program, { referralCode: code });
    const created = await system.call('POST', '/payouts', { key, body: { affiliateId, programId: program.programId } });
    return created.data.id;
  };
  const ids = await pMap(Array.from({ length: PAYOUTS }).keys(), create, { concurrency: 8 });
  const read = async (id: string) => (await system.call('GET', `/payouts/${id}`, { key })).data;
  return { ids, read };
};

it(`${PAYOUTS} payouts whose signals are repeated and reordered: none differs, none is stuck, none is sent twice`, async () => {
  const never = { lookUpMs: 3_600_000, lookUpMaxMs: 3_600_000, remindAfterMs: [] };
  const system = await openTestSystem({ work: false, timing: never });
  const seed = Date.now() % 2 ** 32;
  const { runtime, temporal } = system;
  const relay = createRelay({
    orm: runtime.orm,
    ids: runtime.ids,
    log: runtime.log,
    dispatch: confused(createDispatch(temporal.clients, runtime.config.TEMPORAL_QUEUE_PREFIX), seededRandom(seed)),
    pollMs: 20,
  });
  const workers = startTemporalWorkers(runtime, runtime.config, {
    queues: ['workflows', 'payouts', 'payouts-sandbox'],
    tracing: null,
  });
  const relayed = relay.run();
  try {
    const { ids, read } = await createPayouts(system);
    const isFinal = (payout: { status: string; failureCode: string | null }) =>
      payout.status !== 'pending' && payout.status !== 'processing';
    for (const id of ids) {
      const payout = await until(`payout ${id} is completed or failed`, () => read(id), isFinal);
      const workflow = temporal.clients.finance.workflow.getHandle(`payout/${id}`);
      const outcome = await outcomeOf(workflow);
      expect({ seed, id, ...outcome }).toMatchObject({ status: payout.status, failureCode: payout.failureCode });
    }
    const transfers = await system.sandbox.transfers();
    const executed = transfers.filter(({ status }) => status === 'paid');
    expect(executed.every(({ executedCount }) => executedCount === 1)).toBe(true);
    expect(new Set(transfers.map(({ reference }) => reference)).size).toBe(transfers.length);
    expect(await verifyLedger(runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
  } finally {
    relay.stop();
    await relayed;
    await workers.stop();
    await system.close();
  }
});
