import type { AuditReport } from '../../src/audit/index.ts';
import { openProxy } from '../chaos/support/proxy.ts';
import { untilSettled } from '../chaos/support/settled.ts';
import { openProcessSystem, type ProcessSystem } from '../support/processes.ts';
import { type Receiver, startReceiver } from '../support/receiver/receiver.ts';
import { pause } from '../support/until.ts';
import { type DayOfMoney, type Money, readMoney } from './books.ts';
import { auditWorld, countDue, countWaiting, countWebhooks, type Waiting, type WebhookCounts } from './closing.ts';
import { workInFinance } from './finance.ts';
import { joinFirst } from './join.ts';
import { closeDisputes, runMarket } from './market.ts';
import { workInOffice } from './merchant-office.ts';
import { MERCHANT_PLANS } from './merchant-plans.ts';
import { openMerchant } from './open-merchant.ts';
import { type Outages, openOutages, planOutages, type Reachable } from './outages.ts';
import { isDue, type Merchant, SECONDS_PER_DAY, type Tally, type World } from './world.ts';

export interface SimulationOptions {
  days: number;
  /** The same seed gives the same plans; what happens also depends on timing. */
  seed: number;
  /** How often a process is killed: workers and the API in turn. */
  kills: number;
  onProgress(line: string): void;
}

export interface SimulationReport {
  tally: Tally;
  /** The main currency, day by day. */
  history: DayOfMoney[];
  money: Record<string, Money>;
  waiting: Waiting;
  webhooks: WebhookCounts;
  audit: AuditReport;
}

export const MAIN_CURRENCY = 'usd';
const CURRENCIES = [...new Set(MERCHANT_PLANS.map(({ program }) => program.currency))];
const DAY_MS = SECONDS_PER_DAY * 1_000;
const PROGRESS_EVERY_DAYS = 5;
/** With it, everything happens in the first days: there is enough to see in a short simulation. */
const FIRST_OFFSET = 7;
/** After the last sale: until everything is paid or waits for a person. */
const MAX_CLOSING_DAYS = 90;
/** So long after its payment, a payout may be returned. */
const RETURN_DAYS = 2;

const SETTINGS = {
  SECONDS_PER_DAY: String(SECONDS_PER_DAY),
  COMMISSION_RELEASE_INTERVAL_SECONDS: '1',
  RAIL_BANK_TRANSFER: 'manual',
};

/** A provider that notifies for as long as an API is down. */
const PROVIDER = { returnMs: RETURN_DAYS * DAY_MS, notificationWaitsMs: [200, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000] };

/** Plays the business of several merchants on real processes, then waits until it has settled, and audits the result. */
export const simulate = async (options: SimulationOptions): Promise<SimulationReport> => {
  const [system, receiver] = await Promise.all([openProcessSystem({ env: SETTINGS, sandbox: PROVIDER }), startReceiver()]);
  const endpoint = await openProxy(`127.0.0.1:${receiver.ports.plain}`);
  try {
    return await play({ system, receiver, endpoint }, options);
  } finally {
    await endpoint.close();
    await Promise.all([system.close(), receiver.stop()]);
  }
};

interface Stage {
  system: ProcessSystem;
  receiver: Receiver;
  /** In front of the receiver, for the endpoint that is down for some time. */
  endpoint: Reachable & { address: string };
}

const play = async (stage: Stage, options: SimulationOptions): Promise<SimulationReport> => {
  const { system, receiver, endpoint } = stage;
  const { runtime } = system;
  const outages = await openOutages(planOutages(options.days, options.kills), system, endpoint);
  try {
    const { world, urls } = await openWorld(stage, options);
    const history = await playDays(world, options, outages);
    await untilSettled(runtime);
    const money = await Promise.all(CURRENCIES.map(async (name) => [name, await readMoney(runtime, name)] as const));
    return {
      tally: world.tally,
      history,
      money: Object.fromEntries(money),
      waiting: await countWaiting(runtime),
      webhooks: await countWebhooks(runtime),
      audit: await auditWorld(world, receiver, urls),
    };
  } finally {
    await outages.end();
  }
};

/** All merchants with their first affiliates. `urls` holds the endpoint of each address at which the receiver receives. */
const openWorld = async ({ system, receiver, endpoint }: Stage, { seed }: SimulationOptions) => {
  const origin = `http://127.0.0.1:${system.apiPort}`;
  const world: World = { system, origin, day: 0, merchants: [], tally: {}, acknowledged: [] };
  const urls = new Map<string, string>();
  for (const [at, plan] of MERCHANT_PLANS.entries()) {
    const path = `/status/200/${plan.name}`;
    const webhookUrl = plan.hasOutage ? `http://${endpoint.address}${path}` : receiver.url(path);
    urls.set(receiver.url(path), webhookUrl);
    const offset = FIRST_OFFSET + at;
    world.merchants.push(await openMerchant(world, { plan, offset, seed: seed + at * 1_000, webhookUrl }));
  }
  await Promise.all(world.merchants.map((merchant) => joinFirst(world, merchant)));
  return { world, urls };
};

/** Returns the money of each day, those after the last sale included. */
const playDays = async (world: World, { days, onProgress }: SimulationOptions, outages: Outages): Promise<DayOfMoney[]> => {
  const history: DayOfMoney[] = [];
  const record = async (): Promise<void> => {
    history.push({ day: world.day, money: await readMoney(world.system.runtime, MAIN_CURRENCY) });
    if (world.day % PROGRESS_EVERY_DAYS === 0) onProgress(describeDay(world, history.at(-1)));
  };
  while (world.day < days) {
    await nextDay(world, async (merchant) => {
      await runMarket(world, merchant);
      await workInOffice(world, merchant, true);
      await workInFinance(world, merchant, isDue(world, merchant, merchant.plan.payEveryDays));
    });
    await outages.run(world);
    await record();
  }
  await outages.end();
  onProgress('Nothing more is sold: waiting until all is paid or waits for a person');
  await closeBooks(world, days, record);
  return history;
};

/** One day of all merchants. It lasts longer than planned when they are not done by its end. */
const nextDay = async (world: World, live: (merchant: Merchant) => Promise<void>): Promise<void> => {
  world.day += 1;
  const end = Date.now() + DAY_MS;
  await Promise.all(world.merchants.map(live));
  await pause(Math.max(0, end - Date.now()), 'the rest of the day');
};

/** Merchants go on deciding, and pay what becomes payable, until time alone changes nothing more. */
const closeBooks = async (world: World, days: number, record: () => Promise<void>): Promise<void> => {
  for (let quietDays = 0; quietDays <= RETURN_DAYS; ) {
    const before = world.acknowledged.length;
    await nextDay(world, async (merchant) => {
      await closeDisputes(world, merchant);
      await workInOffice(world, merchant, false);
      await workInFinance(world, merchant, true);
    });
    await record();
    const due = await countDue(world.system.runtime);
    const hasDisputes = world.merchants.some(({ sales }) => sales.some(({ dispute }) => dispute !== null));
    const isQuiet = due.commissions === 0 && due.payouts === 0 && !hasDisputes && world.acknowledged.length === before;
    quietDays = isQuiet ? quietDays + 1 : 0;
    if (world.day > days + MAX_CLOSING_DAYS)
      throw new Error(`Not settled after ${MAX_CLOSING_DAYS} days: ${JSON.stringify(due)}`);
  }
};

const describeDay = ({ day, tally }: World, latest: DayOfMoney | undefined): string => {
  const counts = ['sales', 'refunds', 'payouts', 'retries', 'kills'].map((kind) => `${tally[kind] ?? 0} ${kind}`);
  const money = Object.entries(latest?.money ?? {}).map(([state, amount]) => `${state} ${(amount / 100).toFixed(0)}`);
  return `Day ${String(day).padStart(3)}: ${counts.join(', ')} · USD: ${money.join(', ')}`;
};
