import type { AuditInput } from '../../src/audit/audit.ts';
import { type AuditReport, INVARIANTS, runAudit, sandboxTransfers } from '../../src/audit/index.ts';
import { makePayable, unique } from '../support/factories.ts';
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts';
import { openTestSystem, type TestSystem, until } from '../support/system.ts';
import { audit, operator, sightingsOf, untilSettled } from './support/settled.ts';
import { VIOLATIONS } from './support/violations.ts';

let system: TestSystem;
let receiver: Receiver;
let input: Omit<AuditInput, 'ctx'>;
const ids: Record<string, string> = {};

/** One payout of each end, all told to one receiver. */
beforeAll(async () => {
  [system, receiver] = await Promise.all([openTestSystem({ sandbox: { returnMs: 100 } }), startReceiver()]);
  for (const local of ['ok', 'fail-definite', 'returned', 'unknown-unpaid-always']) ids[local] = await payTo(local);
  await until(
    async () => (await Promise.all(Object.values(ids).map((id) => statusOf(id)))).join(),
    (seen) => seen === 'completed,failed,failed,processing',
  );
  await untilSettled(system.runtime);
  input = {
    provider: sandboxTransfers(system.sandbox),
    temporal: system.temporal.client,
    sightings: await sightingsOf(receiver),
    acknowledged: Object.values(ids).map((id) => ({ kind: 'payout' as const, id })),
    repeats: [
      {
        key: 'one',
        answers: [
          { status: 201, body: 'a' },
          { status: 201, body: 'a' },
        ],
      },
    ],
    budgets: { payoutMs: 0, promptMs: 0 },
  };
}, 60_000);
afterAll(() => Promise.all([system?.close(), receiver?.stop()]));

const payTo = async (local: string): Promise<string> => {
  const { key, affiliateId, programId } = await makePayable(system, { local: `${local}+${unique()}` });
  const url = receiver.url(`/status/200/${unique()}`);
  const subscribedEvents = ['payout.created', 'payout.processing', 'payout.completed', 'payout.failed'];
  const endpoint = await system.call('POST', '/webhooks', { key, body: { name: 'sink', url, subscribedEvents } });
  const created = await system.call('POST', '/payouts', {
    key,
    body: { affiliateId, programId },
    headers: { 'idempotency-key': unique() },
  });
  expect([endpoint.status, created.status]).toEqual([201, 201]);
  return created.data.id;
};

const statusOf = async (id: string): Promise<string> => {
  const [row] = await operator(system.runtime).em.execute('select status from payout where id = ?', [id]);
  return row?.status;
};

class Undo extends Error {}

/** Audits a database in which something is wrong, and puts it right again. */
const auditWith = async (plant: (typeof VIOLATIONS)[number]): Promise<AuditReport> => {
  let report: AuditReport | undefined;
  const ctx = operator(system.runtime);
  await ctx.em
    .transactional(async (em) => {
      const inside = { ...ctx, em: em as typeof ctx.em };
      // Triggers and foreign keys would refuse most of what is planted here.
      await inside.em.execute(`set local session_replication_role = 'replica'`);
      for (const statement of plant.sql?.(ids) ?? []) await inside.em.execute(statement);
      report = await runAudit({ ...input, ...(await plant.input?.(input, ids)), ctx: inside });
      throw new Undo();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error;
    });
  if (!report) throw new Error('no report');
  return report;
};

it('finds nothing where nothing is wrong, and looked at everything', async () => {
  const report = await runAudit({ ...input, ctx: operator(system.runtime) });
  expect(report).toMatchObject({ ok: true, findings: [], unseen: [] });
  expect(report.counts).toMatchObject({ payouts: 4, transfers: 3, acknowledged: 4, keys: 1 });
  expect(report.counts['sightings']).toBeGreaterThanOrEqual(10);
});

it.each(VIOLATIONS)('$invariant: $name', async (plant) => {
  const report = await auditWith(plant);
  expect(report.ok).toBe(false);
  const told = report.findings.filter((finding) => finding.invariant === plant.invariant).map((finding) => finding.detail);
  expect(told).toEqual(expect.arrayContaining([expect.stringMatching(plant.says)]));
});

it('every invariant has been broken', () => {
  expect([...new Set(VIOLATIONS.map((plant) => plant.invariant))].sort()).toEqual(Object.keys(INVARIANTS).sort());
});

it('says what it could not see, and is right again after all that', async () => {
  const report = await audit(system);
  expect(report).toMatchObject({ ok: true, unseen: ['receivers', 'callers', 'repeated keys'] });
});
