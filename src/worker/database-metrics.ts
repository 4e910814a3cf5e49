import { Counter, Gauge, type Registry } from 'prom-client';
import { PAYOUT_STATUSES, type PayoutStatus } from '../contracts/payouts.ts';
import { RAIL_NAMES, type Rail } from '../contracts/rails.ts';
import { SECOND_MS } from '../platform/clock.ts';
import { forkOf, type Orm } from '../platform/database/orm.ts';
import { shareCalls } from '../platform/health-checks.ts';
import type { Logger } from '../platform/logger.ts';
import { readOutboxHealth } from '../platform/outbox/outbox-health.ts';

import {
  endedPayouts,
  FLAG_DEADLINES,
  givenUpMails,
  oldestQueuedMail,
  oldestUnscreenedConversion,
  oldestWaitingApplication,
  openDifferences,
  openFlags,
  openPayouts,
  openSaleProblems,
  pausedEndpoints,
  paymentsHeldSeconds,
  payoutsInReview,
  unmatchedNotifications,
  waitingApplications,
  webhookBacklog,
} from './metric-queries.ts';

const CACHE_MS = 5 * SECOND_MS;

type PayoutLabel = 'status' | 'rail';

const setPayouts = (
  gauge: Gauge<PayoutLabel>,
  statuses: readonly PayoutStatus[],
  found: readonly { status: PayoutStatus; rail: Rail; value: number }[],
): void => {
  gauge.reset();
  // Series without payouts are 0 instead of missing, so that alerts on them resolve.
  for (const status of statuses) for (const rail of RAIL_NAMES) gauge.set({ status, rail }, 0);
  for (const { status, rail, value } of found) gauge.set({ status, rail }, value);
};

const OPEN = PAYOUT_STATUSES.slice(0, 2);
const ENDED = PAYOUT_STATUSES.slice(2);

type Collect = () => Promise<void>;

const createGauges = (registry: Registry, collect: Collect) => {
  const gauge = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> =>
    new Gauge({ name: `tributary_${name}`, help, labelNames, registers: [registry], collect });
  const byRail: PayoutLabel[] = ['status', 'rail'];
  return {
    open: gauge('open_payouts', 'Payouts that have not ended, by status and rail', byRail),
    oldest: gauge(
      'open_payout_oldest_seconds',
      'Age of the oldest open payout, by status and rail, without those that a person holds up',
      byRail,
    ),
    ended: gauge('ended_payouts_15m', 'Payouts that ended within the last 15 minutes, by status and rail', byRail),
    review: gauge('payouts_needing_attention', 'Payouts that wait for a decision by finance'),
    unmatched: gauge('rail_notifications_unmatched', 'Notifications of providers about transfers that are not known'),
    differences: gauge('reconciliation_differences_open', 'Payments that the books and providers tell differently'),
    held: gauge('payments_held_seconds', 'How long all payments have been on hold; 0 while they go on'),
    saleProblems: gauge('sale_problems_open', 'Events of payment systems that wait for a person'),
    applications: gauge('applications_waiting', 'Applications that wait for a decision'),
    applicationAge: gauge(
      'application_oldest_waiting_seconds',
      'How long the oldest application has been waiting for a decision',
    ),
    flags: gauge('open_flags', 'Open flags by their deadline: later, within_a_day or over', ['deadline']),
    screeningAge: gauge('conversion_oldest_unscreened_seconds', 'Age of the oldest conversion that no fraud rule has screened'),
    givenUpMails: gauge('mails_given_up', 'Mails that were given up'),
    mailAge: gauge('mail_oldest_queued_seconds', 'How long the oldest mail that is neither sent nor given up has been tried'),
    backlog: gauge('webhook_deliveries_due', 'Webhook deliveries whose next attempt is due'),
    paused: gauge('webhook_endpoints_held', 'Webhook endpoints whose circuit breaker is open'),
    backlogAge: gauge('webhook_delivery_oldest_due_seconds', 'How long the oldest due webhook delivery has been waiting'),
    outbox: gauge('outbox_rows', 'Outbox rows: waiting, scheduled for later, or failed repeatedly', ['topic', 'state']),
    outboxAge: gauge('outbox_oldest_seconds', 'How long the oldest waiting outbox row has been due, by topic', ['topic']),
  };
};

const refreshPeople = async (gauges: ReturnType<typeof createGauges>, orm: Orm): Promise<void> => {
  gauges.applications.set(await waitingApplications(orm));
  gauges.applicationAge.set(await oldestWaitingApplication(orm));
  const flags = await openFlags(orm);
  for (const deadline of FLAG_DEADLINES) {
    gauges.flags.set({ deadline }, flags.find((found) => found.deadline === deadline)?.flags ?? 0);
  }
  gauges.screeningAge.set(await oldestUnscreenedConversion(orm));
  gauges.givenUpMails.set(await givenUpMails(orm));
  gauges.mailAge.set(await oldestQueuedMail(orm));
};

/** One query after the other: a scrape takes one connection from the workers. */
const refresh = async (gauges: ReturnType<typeof createGauges>, orm: Orm): Promise<void> => {
  const open = await openPayouts(orm);
  const counts = open.map((row) => ({ ...row, value: row.payouts }));
  setPayouts(gauges.open, OPEN, counts);
  const ages = open.map((row) => ({ ...row, value: row.oldestSeconds }));
  setPayouts(gauges.oldest, OPEN, ages);
  const ended = (await endedPayouts(orm)).map((row) => ({ ...row, value: row.payouts }));
  setPayouts(gauges.ended, ENDED, ended);
  gauges.review.set(await payoutsInReview(orm));
  gauges.unmatched.set(await unmatchedNotifications(orm));
  gauges.differences.set(await openDifferences(orm));
  gauges.held.set(await paymentsHeldSeconds(orm));
  gauges.saleProblems.set(await openSaleProblems(orm));
  const { due, oldestSeconds } = await webhookBacklog(orm);
  gauges.backlog.set(due);
  gauges.backlogAge.set(oldestSeconds);
  gauges.paused.set(await pausedEndpoints(orm));
  await refreshPeople(gauges, orm);
  gauges.outbox.reset();
  gauges.outboxAge.reset();
  for (const { topic, oldestSeconds, ...rows } of await readOutboxHealth({ em: forkOf(orm) })) {
    for (const state of ['waiting', 'scheduled', 'failed'] as const) gauges.outbox.set({ topic, state }, rows[state]);
    gauges.outboxAge.set({ topic }, oldestSeconds);
  }
};

/**
 * Adds what the database knows. All workers report the same values, so that they are known whichever worker is down: use
 * `max`, not `sum`. Queries run at most every 5 seconds. While they fail, the last values stay, and
 * `tributary_metric_queries_failed_total` rises.
 */
export const addDatabaseMetrics = (registry: Registry, orm: Orm, log: Logger): void => {
  const failures = new Counter({
    name: 'tributary_metric_queries_failed_total',
    help: 'Failed rounds of metric queries: the gauges kept their last values',
    registers: [registry],
  });
  let nextAt = 0;
  const refreshOnce = shareCalls(async () => {
    await refresh(gauges, orm).catch((err: unknown) => {
      failures.inc();
      log.warn({ err }, 'metric queries failed');
    });
    nextAt = Date.now() + CACHE_MS;
  });
  const gauges = createGauges(registry, async () => {
    if (Date.now() >= nextAt) await refreshOnce();
  });
};
