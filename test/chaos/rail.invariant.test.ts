import { sandboxTransfers } from '../../src/audit/index.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale, type TestProgram, unique } from '../support/factories.ts';
import { useTestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { audit, untilSettled } from './support/settled.ts';

/** D2: provider failures before and after it executes a transfer. */
const TIMES = 5;
const MISBEHAVIOURS: Record<string, 'completed' | 'failed' | 'manual review'> = {
  'unknown-paid': 'completed',
  'unknown-unpaid': 'completed',
  hang: 'completed',
  'hang-before': 'completed',
  'fail-500-after': 'completed',
  'fail-500-before': 'completed',
  'broken-body': 'completed',
  'duplicate-id': 'completed',
  slow: 'completed',
  'slow-before': 'completed',
  'slow-60': 'completed',
  'limit-429': 'completed',
  reset: 'completed',
  'notifications-off': 'completed',
  'accepted-only': 'completed',
  'fail-definite': 'failed',
  'fail-odd-code': 'failed',
  'fail-later': 'failed',
  'unknown-unpaid-always': 'manual review',
  'fail-500-before-always': 'manual review',
  'reset-always': 'manual review',
};

// Longer than the rail's timeout, so that `slow-before` executes during the first lookups.
const system = useTestSystem({ sandbox: { slowMs: 9_000 } });
let program: TestProgram;
let key: string;
const payouts = new Map<string, string[]>();

beforeAll(async () => {
  ({ key } = await makeMerchant(system.runtime));
  program = await makeProgram(system, key);
  for (const local of Object.keys(MISBEHAVIOURS)) {
    payouts.set(local, await Promise.all(Array.from({ length: TIMES }, () => payTo(local))));
  }
  await untilSettled(system.runtime);
});

const payTo = async (local: string): Promise<string> => {
  const { affiliateId, code } = await makeAffiliate(system.runtime, program.programId, `${local}+${unique()}`);
  await sendSale(system, program, { referralCode: code });
  const created = await system.call('POST', '/payouts', { key, body: { affiliateId, programId: program.programId } });
  expect(created.status).toBe(201);
  return created.data.id;
};

const payout = async (id: string) => (await system.call('GET', `/payouts/${id}`, { key })).data;

it.each(Object.entries(MISBEHAVIOURS))('%s, five times: %s, and never paid twice', async (local, end) => {
  const ids = payouts.get(local) ?? [];
  const transfers = (await sandboxTransfers(system.sandbox).list()).filter((transfer) => ids.includes(transfer.reference));
  for (const id of ids) {
    const seen = await payout(id);
    expect(seen).toMatchObject(
      end === 'manual review' ? { status: 'processing', needsAttention: true } : { status: end, needsAttention: false },
    );
    const executed = transfers.filter((transfer) => transfer.reference === id).map((transfer) => transfer.executedCount);
    expect(executed).toEqual(end === 'completed' ? [1] : end === 'failed' ? [0] : []);
  }
  expect(ids).toHaveLength(TIMES);
});

it('a payout without a provider result is decided by manual review', async () => {
  const [id = '', other = ''] = payouts.get('reset-always') ?? [];
  const note = 'The provider confirmed it by telephone';
  expect((await system.call('POST', `/payouts/${id}/fail`, { key, body: { note } })).status).toBe(200);
  expect((await system.call('POST', `/payouts/${other}/complete`, { key, body: { note } })).status).toBe(200);
  await until(
    'both payouts are decided',
    () => Promise.all([payout(id), payout(other)]),
    ([failed, completed]) => failed?.status === 'failed' && completed?.status === 'completed',
  );
});

it('all invariants hold', async () => {
  await untilSettled(system.runtime);
  expect((await audit(system)).findings).toEqual([]);
});
