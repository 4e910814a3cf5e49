import { randomUUID } from 'node:crypto';
import { payoutExample } from '../../../src/domains/payouts/payouts.examples.ts';
import {
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../../src/domains/webhooks/use-cases/webhook-endpoint.ts';
import { emit, inTransaction } from '../../../src/platform/context.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { useWebhookBench } from './support.ts';

const bench = useWebhookBench();

const URL = 'https://hooks.example.com/a';

const endpointsOf = async (deliveries: string[]): Promise<string[]> => {
  const { em } = bench.runtime.context({ kind: 'system', name: 'test' });
  const found = await rows(
    em,
    sql<{
      endpoint_id: string;
    }>`select endpoint_id from webhook_delivery where id = any(${deliveries}::uuid[]) order by endpoint_id`,
  );
  return found.map((row) => row.endpoint_id);
};

test('an event reaches the active endpoints that subscribe to it, and no others', async () => {
  const merchant = await bench.merchant();
  const other = await bench.merchant();
  const all = await merchant.endpoint({ url: URL });
  const ofProgram = await merchant.endpoint({ url: URL, programId: merchant.programId });
  const changed = await merchant.endpoint({ url: URL, subscribedEvents: ['program.created'] });
  await updateWebhookEndpoint(merchant.ctx(), { id: changed.id, subscribedEvents: ['payout.completed'] });
  await merchant.endpoint({ url: URL, subscribedEvents: ['payout.failed', 'payout.created'] });
  const disabled = await merchant.endpoint({ url: URL });
  await disableWebhookEndpoint(merchant.ctx(), { id: disabled.id });
  const deleted = await merchant.endpoint({ url: URL });
  await deleteWebhookEndpoint(merchant.ctx(), { id: deleted.id });
  await other.endpoint({ url: URL });

  const deliveries = await merchant.emit();
  expect(await endpointsOf(deliveries)).toEqual([all.id, ofProgram.id, changed.id].sort());
  for (const id of deliveries) {
    expect(await bench.outbox(id)).toEqual([]);
    expect(await merchant.delivery(id)).toMatchObject({ status: 'pending', trigger: 'schedule', attemptCount: 0, attempts: [] });
  }
});

test('an event of another program, or of none, goes only to endpoints of all programs', async () => {
  const merchant = await bench.merchant();
  const all = await merchant.endpoint({ url: URL });
  await merchant.endpoint({ url: URL, programId: merchant.programId });
  for (const programId of [null, randomUUID()]) expect(await endpointsOf(await merchant.emit({ programId }))).toEqual([all.id]);
});

test('an event without recipients is stored', async () => {
  const merchant = await bench.merchant();
  expect(await merchant.emit()).toEqual([]);
  const stored = await rows(
    merchant.ctx().em,
    sql<{ type: string }>`select type from webhook_event where merchant_id = ${merchant.id}::uuid order by id`,
  );
  expect(stored.map((event) => event.type)).toEqual(['program.created', 'payout.completed']);
});

test('a rolled-back transaction records no event', async () => {
  const merchant = await bench.merchant();
  await merchant.endpoint({ url: URL });
  const rolledBack = inTransaction(merchant.ctx(), async (ctx) => {
    await emit(ctx, { type: 'payout.completed', merchantId: merchant.id, programId: null, data: payoutExample });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  const events = await rows(
    merchant.ctx().em,
    sql`select 1 from webhook_event where merchant_id = ${merchant.id}::uuid and type = 'payout.completed'`,
  );
  const deliveries = await rows(merchant.ctx().em, sql`select 1 from webhook_delivery where merchant_id = ${merchant.id}::uuid`);
  expect([...events, ...deliveries]).toEqual([]);
});

test('events of one subject are numbered without gaps, in the order of their commits', async () => {
  const merchant = await bench.merchant();
  const [payout, other] = [{ id: randomUUID() }, { id: randomUUID() }];
  const [created, ...rest] = [merchant.emit({ type: 'payout.created', data: payout }), merchant.emit({ data: other })];
  await Promise.all([created, ...rest]);
  const rolledBack = inTransaction(merchant.ctx(), async (ctx) => {
    await emit(ctx, {
      type: 'payout.processing',
      merchantId: merchant.id,
      programId: null,
      data: { ...payoutExample, ...payout },
    });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  const at = 5;
  await Promise.all(Array.from({ length: at }, () => merchant.emit({ type: 'payout.processing', data: payout })));
  await merchant.emit({ type: 'payout.completed', data: payout });
  const stored = await rows(
    merchant.ctx().em,
    sql<{
      type: string;
      subject: string;
      sequence: number;
    }>`select type, body ->> 'subjectId' as subject, (body ->> 'sequence')::int as sequence
      from (select type, convert_from(body, 'UTF8')::jsonb as body from webhook_event
        where merchant_id = ${merchant.id}::uuid and type like 'payout.%') event order by sequence`,
  );
  const numbered = stored.filter(({ subject }) => subject === payout.id);
  expect(numbered.map(({ type, sequence }) => [sequence, type])).toEqual([
    [1, 'payout.created'],
    ...Array.from({ length: at }, (_, n) => [n + 2, 'payout.processing']),
    [at + 2, 'payout.completed'],
  ]);
  expect(stored.filter(({ subject }) => subject === other.id)).toMatchObject([{ sequence: 1 }]);
});

test('an event that cannot be sent rolls back the transaction', async () => {
  const merchant = await bench.merchant();
  await merchant.endpoint({ url: URL });
  await expect(merchant.emit({ data: { id: randomUUID(), text: 'x'.repeat(262_144) } })).rejects.toThrow('256 KiB');
  await expect(merchant.emit({ data: { id: randomUUID(), amount: Number.NaN } })).rejects.toThrow('JSON cannot represent');
});

test('stored bytes cannot be changed', async () => {
  const merchant = await bench.merchant();
  await merchant.endpoint({ url: URL });
  await merchant.emit();
  const change = execute(merchant.ctx().em, sql`update webhook_event set body = '{}' where merchant_id = ${merchant.id}::uuid`);
  await expect(change).rejects.toThrow('permission denied');
});
