import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { LocalStackError } from '../local-stack/local-stack-error.ts';
import { signWebhook } from '../platform/crypto/standard-webhooks.ts';
import { type ApiClient, explain } from './api-client.ts';
import type { DemoPeople } from './demo-data.ts';
import type { DemoReceiver, ReceivedEvent } from './demo-receiver.ts';

export interface DemoScenario {
  origin: string;
  client: ApiClient;
  people: DemoPeople;
  eventSecret: string;
  receiver: DemoReceiver;
  log: (line: string) => void;
}

const payoutShape = z.object({
  id: z.string(),
  amount: z.int(),
  currency: z.string(),
  status: z.enum(['pending', 'processing', 'completed', 'failed']),
  rail: z.string(),
  needsAttention: z.boolean(),
  failureCode: z.string().nullable(),
});
type PayoutView = z.infer<typeof payoutShape>;

export interface DemoResult {
  saleId: string;
  saleAmount: number;
  payout: PayoutView;
  events: ReceivedEvent[];
  tookMs: number;
}

const SALE_AMOUNT = 15_000;
const POLL_MS = 100;
const APPROVAL_MS = 30_000;
const PAYOUT_MS = 60_000;
const WEBHOOKS_MS = 30_000;
/** Worth asking again: the sale is in, and its commission is not payable yet. */
const NOT_YET = ['NOTHING_PAYABLE', 'BELOW_THRESHOLD'];

/** A sale, its payout, and the webhooks of both, over HTTP as a customer would do it. Every wait has an end. */
export const runDemoScenario = async (job: DemoScenario): Promise<DemoResult> => {
  await finishEarlierPayouts(job);
  const startedAt = performance.now();
  const saleId = `demo-${randomUUID()}`;
  const conversionId = await sendSale(job, saleId);
  const created = await createPayout(job, saleId);
  const payout = await untilFinal(job, created.id);
  if (payout.status !== 'completed')
    throw new LocalStackError(`Payout ${payout.id} failed (${payout.failureCode ?? 'no reason told'}).`);
  const expected = [
    ['conversion.created', conversionId],
    ...['payout.created', 'payout.processing', 'payout.completed'].map((type) => [type, payout.id] as const),
  ] as const;
  const events = await Promise.all(expected.map(([type, id]) => job.receiver.waitFor(type, id, WEBHOOKS_MS)));
  return { saleId, saleAmount: SALE_AMOUNT, payout, events, tookMs: performance.now() - startedAt };
};

/** One payout per membership at a time: one that an earlier, interrupted start began has to end first. */
const finishEarlierPayouts = async ({ client, people, log }: DemoScenario): Promise<void> => {
  const list = z.array(payoutShape);
  for (const status of ['pending', 'processing']) {
    for (const payout of await client.get(list, `/payouts?affiliateId=${people.affiliateId}&status=${status}`)) {
      log(`Payout ${payout.id} of an earlier start is still ${payout.status}: waiting for it`);
      const ended = await untilFinal({ client }, payout.id);
      log(`Payout ${ended.id} of an earlier start is now ${ended.status}`);
    }
  }
};

const saleAnswer = z.object({ data: z.object({ outcome: z.string(), conversionId: z.string().nullable() }) });

const sendSale = async ({ origin, people, eventSecret }: DemoScenario, saleId: string): Promise<string> => {
  const now = new Date();
  const customer = { id: `customer-${saleId}`, email: `${saleId}@customers.example` };
  const data = {
    saleId,
    amount: SALE_AMOUNT,
    currency: 'usd',
    occurredAt: now.toISOString(),
    customer,
    referralCode: people.code,
  };
  const body = JSON.stringify({ type: 'sale.completed', timestamp: now.toISOString(), data });
  const timestampSeconds = Math.floor(now.getTime() / 1_000);
  const answer = await fetch(`${origin}/api/integrations/events/${people.programId}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': saleId,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': signWebhook({ id: saleId, timestampSeconds, body, secrets: [eventSecret] }),
    },
    body,
    signal: AbortSignal.timeout(15_000),
  });
  const text = await answer.text();
  const read = answer.ok ? saleAnswer.parse(JSON.parse(text)).data : null;
  if (read?.outcome === 'recorded' && read.conversionId !== null) return read.conversionId;
  throw new LocalStackError(`The sale ${saleId} was not turned into a conversion: ${answer.status} ${text.slice(0, 500)}`);
};

const createPayout = async ({ client, people }: DemoScenario, saleId: string): Promise<PayoutView> => {
  const body = {
    affiliateId: people.affiliateId,
    programId: people.programId,
    method: 'paypal',
    notes: 'The main job of npm start',
  };
  for (let attempt = 1, end = Date.now() + APPROVAL_MS; ; attempt += 1, await sleep(POLL_MS * 2)) {
    const answer = await client.ask('POST', '/payouts', body, { 'idempotency-key': `${saleId}-${attempt}` });
    if (answer.status === 201) return payoutShape.parse(answer.data);
    const mayCome = NOT_YET.includes(answer.error?.details?.reason ?? '');
    if (!mayCome || Date.now() > end) throw new LocalStackError(explain('POST', '/payouts', answer));
  }
};

const untilFinal = async ({ client }: Pick<DemoScenario, 'client'>, id: string): Promise<PayoutView> => {
  for (const end = Date.now() + PAYOUT_MS; ; await sleep(POLL_MS)) {
    const payout = await client.get(payoutShape, `/payouts/${id}`);
    if (payout.status === 'completed' || payout.status === 'failed') return payout;
    if (payout.needsAttention || payout.rail === 'manual') {
      throw new LocalStackError(
        `Payout ${id} waits for a person: look at GET /payouts/${id}/timeline, then POST /payouts/${id}/complete or /fail with a note.`,
      );
    }
    if (Date.now() > end) throw new LocalStackError(`Payout ${id} is still ${payout.status} after ${PAYOUT_MS / 1_000} s.`);
  }
};
