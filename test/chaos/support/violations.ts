import { randomUUID } from 'node:crypto';
import type { AuditInput, Invariant, ProviderTransfer, Sighting } from '../../../src/audit/audit.ts';

type Ids = Readonly<Record<string, string>>;
type Input = Omit<AuditInput, 'ctx'>;

/** One violation: statements, or sources that tell something else, and what the auditor must say about it. */
export interface Violation {
  invariant: Invariant;
  name: string;
  sql?: (ids: Ids) => string[];
  input?: (input: Input, ids: Ids) => Partial<Input> | Promise<Partial<Input>>;
  says: RegExp;
}

const OLD = `now() - interval '1 hour'`;
const NOWHERE = randomUUID();

/** A provider that tells something else about the transfers of one payout. */
const provider =
  (local: string, change: (transfer: ProviderTransfer) => ProviderTransfer[]) =>
  async (input: Input, ids: Ids): Promise<Partial<Input>> => {
    const told = (await input.provider?.()) ?? [];
    const changed = told.flatMap((transfer) => (transfer.reference === ids[local] ? change(transfer) : [transfer]));
    if (JSON.stringify(changed) === JSON.stringify(told)) throw new Error(`the provider knows nothing of ${local}`);
    return { provider: async () => changed };
  };

const sights =
  (change: (sighting: Sighting) => Sighting[]) =>
  (input: Input): Partial<Input> => {
    const [first, ...rest] = input.sightings ?? [];
    return { sightings: first ? [...change(first), ...rest] : [] };
  };

const payout = (local: string, change: string) => (ids: Ids) => [`update payout set ${change} where id = '${ids[local]}'`];
const attempt = (local: string, change: string) => (ids: Ids) => [
  `update payout_attempt set ${change} where payout_id = '${ids[local]}'`,
];
const deliveries = (change: string) => () => [`update webhook_delivery set ${change}`];

const MONEY: Violation[] = [
  {
    invariant: 'I1',
    name: 'the provider executed one key twice',
    input: provider('ok', (t) => [{ ...t, executedCount: 2 }]),
    says: /executed 2 times/,
  },
  {
    invariant: 'I1',
    name: 'two transfers for one payout',
    input: provider('ok', (t) => [t, { ...t, idempotencyKey: `payout-${t.reference}-2` }]),
    says: /executed 2 times/,
  },
  {
    invariant: 'I1',
    name: 'two open attempts',
    sql: (ids) => [
      `insert into payout_attempt (id, payout_id, n, rail, idempotency_key, outcome, created_at, updated_at)
       values (gen_random_uuid(), '${ids['ok']}', 2, 'sandbox', 'second', 'unknown', now(), now())`,
    ],
    says: /2 attempts that may have been executed/,
  },
  {
    invariant: 'I1',
    name: 'one commission in two payouts that did not fail',
    sql: (ids) => [
      `insert into payout_item (payout_id, kind, subject_id, amount, active)
       select '${ids['unknown-unpaid-always']}', kind, subject_id, amount, false from payout_item where payout_id = '${ids['ok']}'`,
    ],
    says: /in 2 payouts that did not fail/,
  },
  {
    invariant: 'I1',
    name: 'one commission paid by a payout that failed here, and by another',
    sql: (ids) => [
      `insert into payout_item (payout_id, kind, subject_id, amount, active)
       select '${ids['fail-definite']}', kind, subject_id, amount, false from payout_item where payout_id = '${ids['ok']}'`,
    ],
    input: provider('fail-definite', (t) => [{ ...t, executedCount: 1, status: 'paid' }]),
    says: /paid by .* and /,
  },
  {
    invariant: 'I2',
    name: 'executed without a payout',
    input: provider('ok', (t) => [t, { ...t, reference: NOWHERE }]),
    says: /without a payout/,
  },
  {
    invariant: 'I2',
    name: 'executed with another amount',
    input: provider('ok', (t) => [{ ...t, amount: t.amount + 1 }]),
    says: /instead of/,
  },
  {
    invariant: 'I2',
    name: 'executed in another currency',
    input: provider('ok', (t) => [{ ...t, currency: 'eur' }]),
    says: /eur instead of/,
  },
  {
    invariant: 'I2',
    name: 'executed under a key of nobody',
    input: provider('ok', (t) => [{ ...t, idempotencyKey: 'x' }]),
    says: /no attempt has/,
  },
  {
    invariant: 'I2',
    name: 'paid there and failed here',
    input: provider('fail-definite', (t) => [{ ...t, executedCount: 1, status: 'paid' }]),
    says: /paid at the provider and failed here/,
  },
  {
    invariant: 'I2',
    name: 'returned there and completed here',
    input: provider('ok', (t) => [{ ...t, status: 'returned' }]),
    says: /returned by/,
  },
  { invariant: 'I2', name: 'completed here and never executed', input: provider('ok', () => []), says: /never executed/ },
  {
    invariant: 'I3',
    name: 'half an entry',
    sql: () => [`delete from ledger_entry where id = (select min(id) from ledger_entry)`],
    says: /sums to zero/,
  },
  {
    invariant: 'I3',
    name: 'a balance nobody booked',
    sql: () => [`update ledger_balance set paid = paid + 1`],
    says: /sum of its entries/,
  },
  {
    invariant: 'I3',
    name: 'a payout that was never booked as completed',
    sql: () => [`delete from ledger_entry where kind = 'payout_completed'`],
    says: /booked as/,
  },
  {
    invariant: 'I3',
    name: 'items worth something else',
    sql: () => [`update payout_item set amount = amount + 1`],
    says: /items worth/,
  },
  {
    invariant: 'I4',
    name: 'a balance below its floor',
    sql: () => [`alter table ledger_balance drop constraint ledger_balance_check`, `update ledger_balance set payable = -1`],
    says: /no balance below its floor/,
  },
  {
    invariant: 'I4',
    name: 'a balance that was below zero for a moment',
    sql: () =>
      [-5, 5].map(
        (
          amount,
        ) => `insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, currency, amount, reference_id, created_at)
          select gen_random_uuid(), 'refund', 'pending', affiliate_id, program_id, currency, ${amount}, affiliate_id, now() from ledger_balance limit 1`,
      ),
    says: /pending was -\d+ once/,
  },
];

const EVENTS: Violation[] = [
  {
    invariant: 'I5',
    name: 'a transition nobody was told of',
    sql: () => [`delete from webhook_event where type = 'payout.completed'`],
    says: /told 0 times/,
  },
  {
    invariant: 'I5',
    name: 'a transition that was told twice',
    sql: () => [
      `insert into webhook_event select gen_random_uuid(), merchant_id, program_id, type, schema_version, test, body, occurred_at
       from webhook_event where type = 'payout.completed'`,
    ],
    says: /told 2 times/,
  },
  {
    invariant: 'I5',
    name: 'an endpoint that was left out',
    sql: () => [`update webhook_endpoint set updated_at = ${OLD}`, `delete from webhook_delivery`],
    says: /has no delivery to endpoint/,
  },
  {
    invariant: 'I5',
    name: 'success without an attempt',
    sql: () => [`delete from webhook_attempt`],
    says: /without an attempt that succeeded/,
  },
  { invariant: 'I5', name: 'given up too early', sql: deliveries(`status = 'exhausted'`), says: /exhausted after 0 attempts/ },
  {
    invariant: 'I5',
    name: 'parked at an active endpoint',
    sql: deliveries(`status = 'parked'`),
    says: /although its endpoint is active/,
  },
  { invariant: 'I5', name: 'cancelled at a living endpoint', sql: deliveries(`status = 'cancelled'`), says: /was not deleted/ },
  { invariant: 'I5', name: 'a success that the receiver never saw', input: sights(() => []), says: /never received/ },
  {
    invariant: 'I6',
    name: 'received and not committed',
    input: sights((seen) => [seen, { ...seen, eventId: NOWHERE }]),
    says: /never committed/,
  },
  {
    invariant: 'I6',
    name: 'received with other bytes',
    input: sights((seen) => [{ ...seen, body: Buffer.from('{}') }]),
    says: /other bytes/,
  },
  {
    invariant: 'I6',
    name: 'told of a payout that is not there',
    sql: (ids) => [`delete from payout where id = '${ids['ok']}'`],
    says: /does not exist/,
  },
];

const REST: Violation[] = [
  {
    invariant: 'I7',
    name: 'an outbox row that nobody takes',
    sql: () => [
      `insert into outbox (topic, subject_id, payload, created_at) values ('payout.start', gen_random_uuid(), '{}', ${OLD})`,
    ],
    says: /waits to be relayed/,
  },
  {
    invariant: 'I7',
    name: 'a notification that nobody takes in',
    sql: () => [`update rail_notification set handled_at = null`],
    says: /is not taken in/,
  },
  {
    invariant: 'I7',
    name: 'a delivery that is overdue',
    sql: deliveries(`status = 'pending', next_attempt_at = ${OLD}, created_at = ${OLD}`),
    says: /is overdue/,
  },
  {
    invariant: 'I7',
    name: 'a delivery whose story is over',
    sql: deliveries(`status = 'pending', next_attempt_at = now() + interval '1 hour'`),
    says: /its story is COMPLETED/,
  },
  {
    invariant: 'I7',
    name: 'an attempt without an end',
    sql: () => [`update webhook_attempt set outcome = null`],
    says: /never finished/,
  },
  {
    invariant: 'I7',
    name: 'a payout that stays',
    sql: payout('unknown-unpaid-always', 'needs_attention = false'),
    says: /processing for too long/,
  },
  {
    invariant: 'I7',
    name: 'a payout whose story is over',
    sql: payout('ok', `status = 'processing'`),
    says: /its story is COMPLETED/,
  },
  {
    invariant: 'I7',
    name: 'an attempt that was never sent',
    sql: attempt('ok', `outcome = 'created'`),
    says: /written and not sent/,
  },
  {
    invariant: 'I7',
    name: 'a commission that is not released',
    sql: () => [`update conversion set approved_at = null, status = 'pending', screened_at = ${OLD}, release_at = ${OLD}`],
    says: /hold is over/,
  },
  {
    invariant: 'I8',
    name: 'a step that is missing',
    sql: () => [`delete from payout_timeline where to_status = 'processing'`],
    says: /do not follow/,
  },
  {
    invariant: 'I8',
    name: 'a move that the table does not know',
    sql: () => [`update payout_timeline set to_status = 'completed' where to_status = 'processing'`],
    says: /moved from pending to completed/,
  },
  {
    invariant: 'I8',
    name: 'another end than the timeline tells',
    sql: payout('ok', `status = 'failed'`),
    says: /ends at completed, and it is failed/,
  },
  {
    invariant: 'I8',
    name: 'an attempt that disagrees',
    sql: attempt('ok', `outcome = 'failed'`),
    says: /completed with an attempt that is failed/,
  },
  {
    invariant: 'I8',
    name: 'an attempt under another key',
    sql: attempt('ok', `idempotency_key = 'x'`),
    says: /another number or key/,
  },
  { invariant: 'I8', name: 'an outcome without a sending', sql: attempt('ok', `send_count = 0`), says: /never sent/ },
  {
    invariant: 'I9',
    name: 'an acknowledged payout that is gone',
    input: () => ({ acknowledged: [{ kind: 'payout', id: NOWHERE }] }),
    says: /acknowledged and does not exist/,
  },
  {
    invariant: 'I9',
    name: 'an answer about a payout that is gone',
    sql: (ids) => [`delete from payout where id = '${ids['ok']}'`],
    says: /an answer is remembered/,
  },
  {
    invariant: 'I10',
    name: 'two answers to one key',
    input: () => ({
      repeats: [
        {
          key: 'one',
          answers: [
            { status: 201, body: 'a' },
            { status: 201, body: 'b' },
          ],
        },
      ],
    }),
    says: /different ways/,
  },
];

export const VIOLATIONS: Violation[] = [...MONEY, ...EVENTS, ...REST];
