import type { AuditInput } from '../../src/audit/audit.ts';
import { type AuditReport, INVARIANTS, runAudit, sandboxTransfers } from '../../src/audit/index.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts';
import { openTestSystem, type TestSystem } from '../support/system.ts';
import { until } from '../support/until.ts';
import { MAY_WAIT } from './support/pending-violations.ts';
import { audit, operator, receivedBy, untilSettled } from './support/settled.ts';
import { VIOLATIONS, type Violation } from './support/violations.ts';

let system: TestSystem;
let receiver: Receiver;
let input: Omit<AuditInput, 'ctx'>;
const ids: Record<string, string> = {};

const PAYOUTS = ['ok', 'fail-definite', 'returned', 'unknown-unpaid-always'];

/** One payout of each outcome, with all events delivered to one receiver. */
beforeAll(async () => {
  [system, receiver] = await Promise.all([openTestSystem({ sandbox: { returnMs: 100 }, asOwner: true }), startReceiver()]);
  for (const local of PAYOUTS) ids[local] = await payTo(local);
  await until(
    'each payout has its outcome',
    async () => (await Promise.all(Object.values(ids).map((id) => statusOf(id)))).join(),
    (seen) => seen === 'completed,failed,failed,processing',
  );
  Object.assign(ids, await flagged());
  await untilSettled(system.runtime);
  input = {
    provider: sandboxTransfers(system.sandbox),
    temporal: system.temporal.clients,
    queuePrefix: system.runtime.config.TEMPORAL_QUEUE_PREFIX,
    received: await receivedBy(receiver),
    acknowledged: PAYOUTS.map((local) => ({ kind: 'payout' as const, id: ids[local] ?? '' })),
    repeats: [
      {
        key: 'one',
        responses: [
          { status: 201, body: 'a' },
          { status: 201, body: 'a' },
        ],
      },
    ],
    budgets: { payoutMs: 0, promptMs: 0 },
  };
});
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

/** An open flag, and a confirmed one. */
const flagged = async () => {
  const open = await makeFlag(system);
  const confirmed = await makeFlag(system);
  await confirmed.resolve('confirmed');
  return { flag: open.flagId, held: open.conversionId, confirmed: confirmed.flagId, rejected: confirmed.conversionId };
};

const statusOf = async (id: string): Promise<string> => {
  const [row] = await operator(system.runtime).em.execute('select status from payout where id = ?', [id]);
  return row?.status;
};

class Rollback extends Error {}

/** Audits a database with one violation, then rolls it back. */
const auditWith = async (violation: Pick<Violation, 'sql' | 'input'>): Promise<AuditReport> => {
  let report: AuditReport | undefined;
  const ctx = operator(system.runtime);
  await ctx.em
    .transactional(async (em) => {
      const inside = { ...ctx, em: em as typeof ctx.em };
      // Triggers and foreign keys would reject most violations.
      await inside.em.execute(`set local session_replication_role = 'replica'`);
      for (const statement of violation.sql?.(ids) ?? []) await inside.em.execute(statement);
      report = await runAudit({ ...input, ...(await violation.input?.(input, ids)), ctx: inside });
      throw new Rollback();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Rollback)) throw error;
    });
  if (!report) throw new Error('no report');
  return report;
};

it('finds nothing in a consistent system, and checks every source', async () => {
  const report = await runAudit({ ...input, ctx: operator(system.runtime) });
  expect(report).toMatchObject({ ok: true, findings: [], unchecked: [] });
  expect(report.counts).toMatchObject({ payouts: 4, transfers: 3, acknowledged: 4, keys: 1 });
  expect(report.counts['received']).toBeGreaterThanOrEqual(10);
});

it.each(VIOLATIONS)('$invariant: $name', async (violation) => {
  const report = await auditWith(violation);
  expect(report.ok).toBe(false);
  const details = report.findings.filter((finding) => finding.invariant === violation.invariant).map((finding) => finding.detail);
  expect(details).toEqual(expect.arrayContaining([expect.stringMatching(violation.finding)]));
});

it.each(MAY_WAIT)('a pending payout that $name is not late', async ({ sql }) => {
  // Everything above happened within the minute.
  const report = await auditWith({ sql, input: () => ({ budgets: { payoutMs: 0, promptMs: 60_000 } }) });
  const aged = (text: string) => report.findings.filter(({ detail }) => detail.includes(text));
  expect(aged('for too long')).toEqual([]);
  expect(aged('has expired')).toEqual([]);
});

it('every invariant has a violation', () => {
  expect([...new Set(VIOLATIONS.map((violation) => violation.invariant))].sort()).toEqual(Object.keys(INVARIANTS).sort());
});

it('lists what it could not check, and finds nothing once the violations are rolled back', async () => {
  const report = await audit(system);
  expect(report).toMatchObject({ ok: true, unchecked: ['receivers', 'callers', 'repeated keys'] });
});
