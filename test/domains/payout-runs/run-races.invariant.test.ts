import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { createRunPayouts } from '../../../src/domains/payout-runs/index.ts';
import { makePayees } from '../../api/payout-runs/support.ts';
import { useTestApi } from '../../support/api.ts';
import { makeKey } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

const api = useTestApi();
const ROUNDS = 5;

type Race = Awaited<ReturnType<typeof makeRace>>;

/** A draft of two affiliates, and two requests at once: which comes first is left to the database. */
const makeRace = async ({ needsApproval }: { needsApproval: boolean }) => {
  const own = await makePayees(api, 2);
  const { key, merchantId, affiliateId, act, draft, confirm } = own;
  const { key: second } = await makeKey(api.runtime, { ownerId: merchantId });
  if (needsApproval) await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd: 1 } } });
  const run = (await draft()).data;
  const edit = () => api.call('DELETE', `/payout-runs/${run.id}/items/${affiliateId}`, { key });
  const by =
    (verb: string, as = key) =>
    () =>
      act(run.id, verb, undefined, as);
  const atOnce = async (...requests: (() => ReturnType<typeof edit>)[]) => {
    const answers = await Promise.all(requests.map((request) => request()));
    return answers.map(({ status, error }) => (status === 200 ? 'ok' : `${status} ${error?.details?.reason}`));
  };
  /** The outcome of the run, how often each change was recorded, and whom it pays when the worker gets to it, twice. */
  const outcome = async () => {
    const { status, cancelReason, pausedAt, approvedAt, total } = await own.read(run.id);
    const log = await rowsOf(api, `select action, count(*)::int as n from audit_log where resource_id = ? group by 1`, [run.id]);
    const worker = api.runtime.context({ kind: 'system', name: 'payoutRun' });
    await Promise.all([
      createRunPayouts(worker, { runId: run.id }),
      createRunPayouts({ ...worker, em: worker.em.fork() as typeof worker.em }, { runId: run.id }),
    ]);
    const paid = await rowsOf(api, 'select affiliate_id, amount from payout where payout_run_id = ?', [run.id]);
    expect(new Set(paid.map(({ affiliate_id }) => affiliate_id)).size).toBe(paid.length);
    expect(await verifyLedger(worker, { affiliateId })).toEqual([]);
    const recorded = Object.fromEntries(log.map(({ action, n }) => [action.replace('payout_run.', ''), n]));
    return {
      status,
      cancelReason,
      isPaused: pausedAt !== null,
      isApproved: approvedAt !== null,
      total,
      recorded,
      paid: paid.length,
    };
  };
  return { run, second, by, edit, confirm: () => confirm(run), atOnce, outcome };
};

const inRounds = async (needsApproval: boolean, round: (race: Race) => Promise<void>) => {
  for (let n = 0; n < ROUNDS; n++) await round(await makeRace({ needsApproval }));
};

const ALL = { usd: 4_000 };

test('of an approval and a cancellation at once, the run ends cancelled and pays nobody', async () => {
  await inRounds(true, async ({ confirm, by, second, atOnce, outcome }) => {
    await confirm();
    const [approved, cancelled] = await atOnce(by('approve', second), by('cancel'));
    expect(['ok', '409 ILLEGAL_TRANSITION']).toContain(approved);
    const isApproved = approved === 'ok';
    const recorded = { created: 1, confirmed: 1, cancelled: 1, ...(isApproved && { approved: 1 }) };
    expect([cancelled, await outcome()]).toEqual([
      'ok',
      expect.objectContaining({ status: 'cancelled', isApproved, recorded, paid: 0 }),
    ]);
  });
});

test('of two approvals at once, one is recorded, and each affiliate is paid once', async () => {
  await inRounds(true, async ({ confirm, by, second, atOnce, outcome }) => {
    await confirm();
    expect(await atOnce(by('approve', second), by('approve', second))).toEqual(['ok', 'ok']);
    expect(await outcome()).toMatchObject({ status: 'running', total: ALL, recorded: { approved: 1 }, paid: 2 });
  });
});

test('a run that waits for approval is not edited: who approves it approves what was confirmed', async () => {
  await inRounds(true, async ({ confirm, by, second, edit, atOnce, outcome }) => {
    await confirm();
    expect(await atOnce(by('approve', second), edit)).toEqual(['ok', '409 NOT_DRAFT']);
    expect(await outcome()).toMatchObject({ status: 'running', total: ALL, paid: 2 });
  });
});

test('of a confirmation and an edit at once, one is refused: nothing else starts than what was seen', async () => {
  await inRounds(false, async ({ confirm, edit, atOnce, outcome }) => {
    const [confirmed, edited] = await atOnce(confirm, edit);
    const expected =
      confirmed === 'ok'
        ? ['409 NOT_DRAFT', { status: 'running', total: ALL, paid: 2 }]
        : ['ok', { status: 'draft', total: { usd: 2_000 }, paid: 0 }];
    expect(['ok', '409 RUN_CHANGED']).toContain(confirmed);
    expect([edited, await outcome()]).toMatchObject(expected);
  });
});

test('of a confirmation and a cancellation at once, the run ends cancelled and pays nobody', async () => {
  await inRounds(false, async ({ confirm, by, atOnce, outcome }) => {
    const [confirmed, cancelled] = await atOnce(confirm, by('cancel'));
    expect(['ok', '409 NOT_DRAFT']).toContain(confirmed);
    const recorded = { created: 1, cancelled: 1, ...(confirmed === 'ok' && { confirmed: 1 }) };
    const expected = { status: 'cancelled', cancelReason: 'person', recorded, paid: 0 };
    expect([cancelled, await outcome()]).toEqual(['ok', expect.objectContaining(expected)]);
  });
});

test('of a confirmation and a pause at once, the run pays nobody when the pause was accepted', async () => {
  await inRounds(false, async ({ confirm, by, atOnce, outcome }) => {
    const [confirmed, paused] = await atOnce(confirm, by('pause'));
    expect(['ok', '409 ILLEGAL_TRANSITION']).toContain(paused);
    const isPaused = paused === 'ok';
    const expected = { status: isPaused ? 'paused' : 'running', isPaused, paid: isPaused ? 0 : 2 };
    expect([confirmed, await outcome()]).toMatchObject(['ok', expected]);
  });
});

test.each([false, true])(
  'of a pause and a resumption at once, the last one counts (paused before: %s)',
  async (isPausedBefore) => {
    await inRounds(false, async ({ confirm, by, atOnce, outcome }) => {
      await confirm();
      if (isPausedBefore) await atOnce(by('pause'));
      const [paused, resumed] = await atOnce(by('pause'), by('resume'));
      expect(isPausedBefore ? ['ok'] : ['ok', '409 ILLEGAL_TRANSITION']).toContain(resumed);
      const { status, isPaused, paid, recorded } = await outcome();
      expect([paused, status, paid]).toEqual(['ok', isPaused ? 'paused' : 'running', isPaused ? 0 : 2]);
      // A resumption that was refused came before the pause.
      if (resumed !== 'ok') expect(isPaused).toBe(true);
      expect(recorded['paused'] - (recorded['resumed'] ?? 0)).toBe(isPaused ? 1 : 0);
    });
  },
);
