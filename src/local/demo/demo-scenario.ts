import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isPaidByPerson, RAIL_NAMES } from '../../contracts/rails.ts';
import { signWebhook } from '../../platform/crypto/standard-webhooks.ts';
import { LocalStackError } from '../stack/local-stack-error.ts';
import { type ApiClient, explain } from './api-client.ts';
import type { DemoPeople } from './demo-data.ts';
import type { DemoReceiver, ReceivedEvent } from './demo-receiver.ts';
import { type DemoRun, payTeam } from './demo-run.ts';

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
  rail: z.enum(RAIL_NAMES),
  needsAttention: z.boolean(),
  failureCode: z.string().nullable(),
});
type PayoutView = z.infer<typeof payoutShape>;

export interface DemoResult {
  saleId: string;
  saleAmount: number;
  payout: PayoutView;
  /** Null while the user has a run of their own. */
  run: DemoRun | null;
  /** Payable balance of the affiliate that the demo does not pay, in the currency of the payout. */
  payableAmount: number;
  events: ReceivedEvent[];
  tookMs: number;
}

const SALE_AMOUNT = 15_000;
const POLL_MS = 100;
const APPROVAL_MS = 30_000;
const PAYOUT_MS = 60_000;
const WEBHOOKS_MS = 30_000;
/** Worth a retry: the sale is recorded, but its commission is not payable yet. */
const NOT_YET_PAYABLE = ['NOTHING_PAYABLE', 'BELOW_THRESHOLD'];

/** A sale, its payout, and the webhooks of both, over HTTP as a merchant would do it. Every wait has a timeout. */
export const runDemoScenario = async (scenario: DemoScenario): Promise<DemoResult> => {
  await finishEarlierPayouts(scenario);
  const startedAt = performance.now();
  const saleId = `demo-${randomUUID()}`;
  const conversionId = await sendSale(scenario, saleId, scenario.people.code);
  scenario.log(`Demo: a sale was reported: its commission is conversion ${conversionId}`);
  const created = await createPayout(scenario, saleId);
  scenario.log(`Demo: payout ${created.id} was created`);
  const payout = await untilFinal(scenario, created.id);
  if (payout.status !== 'completed')
    throw new LocalStackError(`Payout ${payout.id} failed (${payout.failureCode ?? 'no failure code'}).`);
  const expected = [
    ['conversion.created', conversionId],
    ...['payout.created', 'payout.processing', 'payout.completed'].map((type) => [type, payout.id] as const),
  ] as const;
  const events = await Promise.all(expected.map(([type, id]) => scenario.receiver.waitFor(type, id, WEBHOOKS_MS)));
  const tookMs = performance.now() - startedAt;
  scenario.log(`Demo: the payout is completed, and its ${events.length} webhooks have arrived`);
  const run = await payTeam({ ...scenario, earn: () => earnForTeam(scenario) });
  const payableAmount = await leavePayable(scenario);
  return { saleId, saleAmount: SALE_AMOUNT, payout, run, payableAmount, events, tookMs };
};

const affiliateShape = z.object({ stats: z.object({ payable: z.int() }) });
const pendingShape = z.array(z.object({ affiliateId: z.string(), meetsThreshold: z.boolean() }));

/** Reports a sale for the second affiliate unless there is something to pay already. Returns the payable balance. */
const leavePayable = async (scenario: DemoScenario): Promise<number> => {
  const { client, people } = scenario;
  const { affiliateId, code } = people.payable;
  const payable = await client.get(pendingShape, `/payouts/pending?programId=${people.programId}&limit=100`);
  if (!payable.some((one) => one.affiliateId === affiliateId && one.meetsThreshold)) {
    await sendSale(scenario, `demo-${randomUUID()}`, code);
  }
  return untilPayable(scenario, affiliateId);
};

const earnForTeam = async (scenario: DemoScenario): Promise<void> => {
  for (const { code } of scenario.people.team) await sendSale(scenario, `demo-${randomUUID()}`, code);
  for (const { affiliateId } of scenario.people.team) await untilPayable(scenario, affiliateId);
};

/** The payable balance; 0 when nothing became payable in time. */
const untilPayable = async ({ client }: DemoScenario, affiliateId: string): Promise<number> => {
  for (const end = Date.now() + APPROVAL_MS; ; await sleep(POLL_MS)) {
    const { payable: amount } = (await client.get(affiliateShape, `/affiliates/${affiliateId}?include=stats`)).stats;
    if (amount > 0 || Date.now() > end) return amount;
  }
};

/** An affiliate has one open payout at a time: a payout of an interrupted start has to end first. */
const finishEarlierPayouts = async ({ client, people, log }: DemoScenario): Promise<void> => {
  const list = z.array(payoutShape);
  for (const status of ['pending', 'processing']) {
    for (const payout of await client.get(list, `/payouts?affiliateId=${people.affiliateId}&status=${status}`)) {
      log(`Payout ${payout.id} of an earlier run is still ${payout.status}: waiting`);
      const ended = await untilFinal({ client }, payout.id);
      log(`Payout ${ended.id} of an earlier run is now ${ended.status}`);
    }
  }
};

const saleResponse = z.object({ data: z.object({ outcome: z.string(), conversionId: z.string().nullable() }) });

const sendSale = async ({ origin, people, eventSecret }: DemoScenario, saleId: string, referralCode: string): Promise<string> => {
  const now = new Date();
  const customer = { id: `customer-${saleId}`, email: `${saleId}@customers.example` };
  const data = {
    saleId,
    amount: SALE_AMOUNT,
    currency: 'usd',
    occurredAt: now.toISOString(),
    customer,
    referralCode,
  };
  const body = JSON.stringify({ type: 'sale.completed', timestamp: now.toISOString(), data });
  const timestampSeconds = Math.floor(now.getTime() / 1_000);
  const response = await fetch(`${origin}/api/integrations/events/${people.programId}`, {
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
  const text = await response.text();
  const result = response.ok ? saleResponse.parse(JSON.parse(text)).data : null;
  if (result?.outcome === 'recorded' && result.conversionId !== null) return result.conversionId;
  throw new LocalStackError(`The sale ${saleId} was not recorded as a conversion: ${response.status} ${text.slice(0, 500)}`);
};

const createPayout = async ({ client, people }: DemoScenario, saleId: string): Promise<PayoutView> => {
  const body = {
    affiliateId: people.affiliateId,
    programId: people.programId,
    method: 'paypal',
    notes: 'Demo scenario of npm start',
  };
  for (let attempt = 1, end = Date.now() + APPROVAL_MS; ; attempt += 1, await sleep(POLL_MS * 2)) {
    const response = await client.request('POST', '/payouts', body, { 'idempotency-key': `${saleId}-${attempt}` });
    if (response.status === 201) return payoutShape.parse(response.data);
    const mayRetry = NOT_YET_PAYABLE.includes(response.error?.details?.reason ?? '');
    if (!mayRetry || Date.now() > end) throw new LocalStackError(explain('POST', '/payouts', response));
  }
};

const untilFinal = async ({ client }: Pick<DemoScenario, 'client'>, id: string): Promise<PayoutView> => {
  for (const end = Date.now() + PAYOUT_MS; ; await sleep(POLL_MS)) {
    const payout = await client.get(payoutShape, `/payouts/${id}`);
    if (payout.status === 'completed' || payout.status === 'failed') return payout;
    if (payout.needsAttention || isPaidByPerson(payout.rail)) {
      throw new LocalStackError(
        `Payout ${id} requires manual review: see GET /payouts/${id}/timeline, then call POST /payouts/${id}/complete or /fail with a note.`,
      );
    }
    if (Date.now() > end) throw new LocalStackError(`Payout ${id} is still ${payout.status} after ${PAYOUT_MS / 1_000} s.`);
  }
};
