import { randomUUID } from 'node:crypto';
import type { AuditInput, Invariant, ProviderTransfer, ReceivedWebhook } from '../../../src/audit/audit.ts';
import { APPLICATION_VIOLATIONS } from './application-violations.ts';
import { FLAG_VIOLATIONS } from './flag-violations.ts';
import { LEDGER_VIOLATIONS } from './ledger-violations.ts';
import { PENDING_VIOLATIONS } from './pending-violations.ts';

type Ids = Readonly<Record<string, string>>;
type Input = Omit<AuditInput, 'ctx'>;

/** One violation, by statements or by changed sources, and the finding that the auditor must report. */
export interface Violation {
  invariant: Invariant;
  name: string;
  sql?: (ids: Ids) => string[];
  input?: (input: Input, ids: Ids) => Partial<Input> | Promise<Partial<Input>>;
  finding: RegExp;
}

const OLD = `now() - interval '1 hour'`;
const NOWHERE = randomUUID();

/** A provider that lists something else for the transfers of one payout. */
const provider =
  (local: string, change: (transfer: ProviderTransfer) => ProviderTransfer[]) =>
  async (input: Input, ids: Ids): Promise<Partial<Input>> => {
    const { provider: source } = input;
    if (!source) throw new Error('the audit has no provider');
    const listed = await source.list();
    const changed = listed.flatMap((transfer) => (transfer.reference === ids[local] ? change(transfer) : [transfer]));
    if (JSON.stringify(changed) === JSON.stringify(listed)) throw new Error(`the provider has no transfer of ${local}`);
    return { provider: { ...source, list: async () => changed } };
  };

const sights =
  (change: (webhook: ReceivedWebhook) => ReceivedWebhook[]) =>
  (input: Input): Partial<Input> => {
    const [first, ...rest] = input.received ?? [];
    return { received: first ? [...change(first), ...rest] : [] };
  };

const payout = (local: string, change: string) => (ids: Ids) => [`update payout set ${change} where id = '${ids[local]}'`];
const attempt = (local: string, change: string) => (ids: Ids) => [
  `update payout_attempt set ${change} where payout_id = '${ids[local]}'`,
];
const mail = (queuedAt: string) =>
  `insert into mail (id, kind, subject_id, recipient, recipient_digest, period, payload, message_id, status, created_at, queued_at, updated_at)
   values (gen_random_uuid(), 'payout_failed', gen_random_uuid(), 'x', 'x', '', 'x', 'x', 'queued', ${queuedAt}, ${queuedAt}, ${queuedAt})`;
const deliveries = (change: string) => () => [`update webhook_delivery set ${change}`];

const MONEY: Violation[] = [
  {
    invariant: 'I1',
    name: 'the provider executed one key twice',
    input: provider('ok', (t) => [{ ...t, executedCount: 2 }]),
    finding: /executed 2 times/,
  },
  {
    invariant: 'I1',
    name: 'two transfers for one payout',
    input: provider('ok', (t) => [t, { ...t, idempotencyKey: `payout-${t.reference}-2` }]),
    finding: /executed 2 times/,
  },
  {
    invariant: 'I1',
    name: 'two open attempts',
    sql: (ids) => [
      `insert into payout_attempt (id, payout_id, n, rail, idempotency_key, outcome, created_at, updated_at)
       values (gen_random_uuid(), '${ids['ok']}', 2, 'sandbox', 'second', 'unknown', now(), now())`,
    ],
    finding: /2 attempts that may have been executed/,
  },
  {
    invariant: 'I1',
    name: 'one commission in two payouts that did not fail',
    sql: (ids) => [
      `insert into payout_item (payout_id, kind, subject_id, amount, active)
       select '${ids['unknown-unpaid-always']}', kind, subject_id, amount, false from payout_item where payout_id = '${ids['ok']}'`,
    ],
    finding: /in 2 payouts that did not fail/,
  },
  {
    invariant: 'I1',
    name: 'one commission paid by a payout that failed here, and by another',
    sql: (ids) => [
      `insert into payout_item (payout_id, kind, subject_id, amount, active)
       select '${ids['fail-definite']}', kind, subject_id, amount, false from payout_item where payout_id = '${ids['ok']}'`,
    ],
    input: provider('fail-definite', (t) => [{ ...t, executedCount: 1, status: 'paid' }]),
    finding: /paid by payouts .* and /,
  },
  {
    invariant: 'I2',
    name: 'executed without a payout',
    input: provider('ok', (t) => [t, { ...t, reference: NOWHERE }]),
    finding: /without a payout/,
  },
  {
    invariant: 'I2',
    name: 'executed with another amount',
    input: provider('ok', (t) => [{ ...t, amount: t.amount + 1 }]),
    finding: /instead of/,
  },
  { invariant: 'I2', name: 'other currency', input: provider('ok', (t) => [{ ...t, currency: 'eur' }]), finding: /eur instead/ },
  { invariant: 'I2', name: 'a fee not booked', input: provider('ok', (t) => [{ ...t, fee: 5 }]), finding: /cost 5 at the/ },
  {
    invariant: 'I2',
    name: 'executed under an unknown key',
    input: provider('ok', (t) => [{ ...t, idempotencyKey: 'x' }]),
    finding: /belongs to no attempt/,
  },
  {
    invariant: 'I2',
    name: 'paid there and failed here',
    input: provider('fail-definite', (t) => [{ ...t, executedCount: 1, status: 'paid' }]),
    finding: /paid at the provider but failed here/,
  },
  {
    invariant: 'I2',
    name: 'returned there and completed here',
    input: provider('ok', (t) => [{ ...t, status: 'returned' }]),
    finding: /returned by/,
  },
  { invariant: 'I2', name: 'completed here and never executed', input: provider('ok', () => []), finding: /never executed/ },
];

const EVENTS: Violation[] = [
  {
    invariant: 'I5',
    name: 'a transition without an event',
    sql: () => [`delete from webhook_event where type = 'payout.completed'`],
    finding: /emitted 0 times/,
  },
  {
    invariant: 'I5',
    name: 'a transition with two events',
    sql: () => [
      `insert into webhook_event select gen_random_uuid(), merchant_id, program_id, type, schema_version, test, extended, body, occurred_at, position
       from webhook_event where type = 'payout.completed'`,
    ],
    finding: /emitted 2 times/,
  },
  {
    invariant: 'I5',
    name: 'an endpoint that was left out',
    sql: () => [`update webhook_endpoint set updated_at = ${OLD}`, `delete from webhook_delivery`],
    finding: /has no delivery to endpoint/,
  },
  {
    invariant: 'I5',
    name: 'success without an attempt',
    sql: () => [`delete from webhook_attempt`],
    finding: /without an attempt that succeeded/,
  },
  { invariant: 'I5', name: 'given up too early', sql: deliveries(`status = 'exhausted'`), finding: /exhausted after 0 attempts/ },
  {
    invariant: 'I5',
    name: 'parked at an active endpoint',
    sql: deliveries(`status = 'parked'`),
    finding: /although its endpoint is active/,
  },
  {
    invariant: 'I5',
    name: 'cancelled at an existing endpoint',
    sql: deliveries(`status = 'cancelled'`),
    finding: /was not deleted/,
  },
  {
    invariant: 'I5',
    name: 'a completed payout that no mail tells of',
    sql: () => [`delete from mail where kind = 'payout_completed'`],
    finding: /is completed, and no mail/,
  },
  { invariant: 'I5', name: 'a success that the receiver never got', input: sights(() => []), finding: /never received/ },
  {
    invariant: 'I6',
    name: 'received but not committed',
    input: sights((seen) => [seen, { ...seen, eventId: NOWHERE }]),
    finding: /never committed/,
  },
  {
    invariant: 'I6',
    name: 'received with another body',
    input: sights((seen) => [{ ...seen, body: Buffer.from('{}') }]),
    finding: /another body/,
  },
  {
    invariant: 'I6',
    name: 'an event for a payout that does not exist',
    sql: (ids) => [`delete from payout where id = '${ids['ok']}'`],
    finding: /does not exist/,
  },
];

const REST: Violation[] = [
  {
    invariant: 'I7',
    name: 'an outbox row that is not relayed',
    sql: () => [
      `insert into outbox (topic, subject_id, payload, not_before) values ('payout.start', gen_random_uuid(), '{}', ${OLD})`,
    ],
    finding: /not relayed/,
  },
  {
    invariant: 'I7',
    name: 'a notification that is not applied',
    sql: () => [`update rail_notification set handled_at = null`],
    finding: /was not applied/,
  },
  {
    invariant: 'I7',
    name: 'a delivery that is overdue',
    sql: deliveries(`status = 'pending', in_lane = false, next_attempt_at = ${OLD}, created_at = ${OLD}`),
    finding: /is overdue/,
  },
  {
    invariant: 'I7',
    name: 'a delivery that its lane forgot',
    sql: deliveries(`status = 'pending', next_attempt_at = ${OLD}, created_at = ${OLD}, updated_at = ${OLD}`),
    finding: /waits in lane/,
  },
  {
    invariant: 'I7',
    name: 'a delivery without the workflow that it needs',
    sql: deliveries(`status = 'pending', in_lane = false, next_attempt_at = now() + interval '1 hour'`),
    finding: /its workflow is missing/,
  },
  {
    invariant: 'I7',
    name: 'a replay without the workflow that it needs',
    sql: () => [
      `insert into webhook_replay (id, endpoint_id, merchant_id, since, until, types, statuses, state, last_event_id, created_at, updated_at)
       select gen_random_uuid(), id, merchant_id, ${OLD}, now(), '{payout.completed}', '{missing}', 'running', gen_random_uuid(), ${OLD}, ${OLD}
       from webhook_endpoint`,
    ],
    finding: /its workflow is missing/,
  },
  {
    invariant: 'I7',
    name: 'a resend that was not sent',
    sql: deliveries(`resend_count = 1, resend_requested_at = ${OLD}`),
    finding: /was not resent/,
  },
  {
    invariant: 'I7',
    name: 'a mail that is neither sent nor given up',
    sql: () => [mail(`now() - interval '4 days'`)],
    finding: /neither sent nor given up/,
  },
  {
    invariant: 'I7',
    name: 'a mail without the workflow that it needs',
    sql: () => [mail(OLD)],
    finding: /its workflow is missing/,
  },
  {
    invariant: 'I7',
    name: 'work whose task queue no worker polls',
    sql: () => [mail(OLD)],
    input: () => ({ queuePrefix: 'nobody-' }),
    finding: /has work and no worker/,
  },
  {
    invariant: 'I7',
    name: 'an attempt without an outcome',
    sql: () => [`update webhook_attempt set outcome = null`],
    finding: /never finished/,
  },
  {
    invariant: 'I7',
    name: 'a payout that stays in processing',
    sql: payout('unknown-unpaid-always', 'needs_attention = false'),
    finding: /processing for too long/,
  },
  {
    invariant: 'I7',
    name: 'a payout whose workflow has ended',
    sql: payout('ok', `status = 'processing'`),
    finding: /its workflow is COMPLETED/,
  },
  {
    invariant: 'I7',
    name: 'an attempt that was never sent',
    sql: attempt('ok', `outcome = 'created'`),
    finding: /reserved but not sent/,
  },
  {
    invariant: 'I7',
    name: 'a conversion that is not screened',
    sql: () => [`update conversion set screened_at = null, created_at = ${OLD}`],
    finding: /is not screened/,
  },
  {
    invariant: 'I7',
    name: 'clicks above a limit that are not looked at',
    sql: () => [`insert into click_alert select affiliate_id, ${OLD}, 31, 31 from conversion limit 1`],
    finding: /clicks .* were not screened/,
  },
  {
    invariant: 'I7',
    name: 'a commission that is not released',
    sql: () => [`update conversion set approved_at = null, status = 'pending', screened_at = ${OLD}, release_at = ${OLD}`],
    finding: /hold period has ended/,
  },
  {
    invariant: 'I8',
    name: 'a missing transition',
    sql: () => [`delete from payout_timeline where to_status = 'processing'`],
    finding: /do not follow/,
  },
  {
    invariant: 'I8',
    name: 'an illegal transition',
    sql: () => [`update payout_timeline set to_status = 'completed' where to_status = 'processing'`],
    finding: /illegal transition from pending to completed/,
  },
  {
    invariant: 'I8',
    name: 'a failed payout that was completed without resolving a contradiction',
    sql: (ids) => [
      `insert into payout_timeline (id, payout_id, at, type, actor, from_status, to_status)
       values (gen_random_uuid(), '${ids['fail-definite']}', now(), 'rail_paid', 'test', 'failed', 'completed')`,
    ],
    finding: /illegal transition from failed to completed/,
  },
  {
    invariant: 'I8',
    name: 'a review without a reason',
    sql: payout('unknown-unpaid-always', 'review_reason = null'),
    finding: /needsAttention is true with reason null/,
  },
  {
    invariant: 'I8',
    name: 'a contradiction that nobody is asked about',
    sql: (ids) => [
      `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
       select payout_id, 1, id, 'paid', 'failed', now() from payout_attempt where payout_id = '${ids['ok']}'`,
    ],
    finding: /1 open contradictions with review reason null/,
  },
  {
    invariant: 'I8',
    name: 'a status other than the last of the timeline',
    sql: payout('ok', `status = 'failed'`),
    finding: /ends at completed but it is failed/,
  },
  {
    invariant: 'I8',
    name: 'an attempt that disagrees',
    sql: attempt('ok', `outcome = 'failed'`),
    finding: /completed with an attempt that is failed/,
  },
  {
    invariant: 'I8',
    name: 'an attempt under another key',
    sql: attempt('ok', `idempotency_key = 'x'`),
    finding: /wrong number or key/,
  },
  { invariant: 'I8', name: 'an outcome without a send', sql: attempt('ok', `send_count = 0`), finding: /never sent/ },
  {
    invariant: 'I9',
    name: 'an acknowledged payout that does not exist',
    input: () => ({ acknowledged: [{ kind: 'payout', id: NOWHERE }] }),
    finding: /acknowledged but does not exist/,
  },
  {
    invariant: 'I9',
    name: 'a stored response for a payout that does not exist',
    sql: (ids) => [`delete from payout where id = '${ids['ok']}'`],
    finding: /has a stored response/,
  },
  {
    invariant: 'I10',
    name: 'two responses to one key',
    input: () => ({
      repeats: [
        {
          key: 'one',
          responses: [
            { status: 201, body: 'a' },
            { status: 201, body: 'b' },
          ],
        },
      ],
    }),
    finding: /different responses/,
  },
];

export const VIOLATIONS: Violation[] = [
  ...MONEY,
  ...LEDGER_VIOLATIONS,
  ...APPLICATION_VIOLATIONS,
  ...FLAG_VIOLATIONS,
  ...PENDING_VIOLATIONS,
  ...EVENTS,
  ...REST,
];
