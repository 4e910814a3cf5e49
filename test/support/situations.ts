import { FAILURE_CODES, REVIEW_REASONS } from '../../src/contracts/payouts.ts';
import type { PayoutReason, PayoutStateName } from '../../src/contracts/situations/payout.ts';
import { findPaymentsHold, holdPayments, liftPaymentsHold } from '../../src/domains/payouts/index.ts';
import type { TestApi } from './api.ts';
import { makeDifference } from './differences.ts';
import { makePayout } from './payouts.ts';
import { rowsOf } from './rail-payouts.ts';

type Made = Awaited<ReturnType<typeof makePayout>>;

export interface PayoutCase {
  state: PayoutStateName;
  reason: PayoutReason | null;
  /** Brings a pending manual payout of 20.00 there. */
  prepare(api: TestApi, payout: Made): Promise<unknown>;
}

const update = (api: TestApi, { payoutId }: Made, values: string, ...given: unknown[]) =>
  rowsOf(api, `update payout set ${values} where id = ?`, [...given, payoutId]);

/** As if a provider paid it: nothing was sent yet. */
const byProvider = (api: TestApi, payout: Made) => update(api, payout, `rail = 'sandbox'`);

/** As if it had been sent twice. */
const send = async (api: TestApi, payout: Made, outcome: string) => {
  await payout.act('process');
  await byProvider(api, payout);
  await rowsOf(api, `update payout_attempt set outcome = ?, send_count = 2 where payout_id = ?`, [outcome, payout.payoutId]);
};

/** As if PayPal waited for its payee, and were asked to cancel it then. */
const unclaimed = async (api: TestApi, payout: Made, cancelledAt: Date | null) => {
  await send(api, payout, 'accepted');
  await update(api, payout, `rail = 'paypal'`);
  await rowsOf(
    api,
    `update payout_attempt set rail = 'paypal', rail_state = 'UNCLAIMED', rail_state_at = now(), cancel_requested_at = ?
      where payout_id = ?`,
    [cancelledAt, payout.payoutId],
  );
};

/** As if it were paid by a bank file, and were in one when it was sent. */
const byBank = async (api: TestApi, payout: Made, outcome: 'unknown' | 'accepted' | null) => {
  if (outcome !== null) await send(api, payout, outcome);
  await update(api, payout, `rail = 'sepa'`);
  await rowsOf(
    api,
    `insert into rail_account (id, merchant_id, rail, identity, settings, secrets, status, created_at, updated_at)
      select gen_random_uuid(), merchant_id, rail, 'case', '{}', '', 'ready', now(), now() from payout where id = ?`,
    [payout.payoutId],
  );
};

const systemOf = (api: TestApi) => api.runtime.context({ kind: 'system', name: 'test' });

/** The provider lists a payment to the payee that the books do not have, as the last try found. */
const holdOnPayee = async (api: TestApi, payout: Made) => {
  await byProvider(api, payout);
  const { merchantId, payoutId } = payout;
  const id = await makeDifference(api, { merchantId, receiver: 'ada@example.com' });
  await rowsOf(api, 'insert into payee_hold_payout (hold_id, payout_id, created_at) values (?, ?, now())', [id, payoutId]);
};

const exhaustReminders = (api: TestApi, payout: Made) =>
  update(api, payout, `needs_attention = true, review_reason = 'reminders_exhausted', attention_since = now()`);

const review = async (api: TestApi, payout: Made, reason: string) => {
  await send(api, payout, 'unknown');
  await update(api, payout, `needs_attention = true, review_reason = ?, attention_since = now()`, reason);
};

const fail = async (api: TestApi, payout: Made, code: string) => {
  await payout.act('process');
  await payout.act('fail', { note: 'The account is closed' });
  await update(api, payout, 'failure_code = ?', code);
};

/** A run of this payout alone. */
const putInRun = async (api: TestApi, payout: Made, status: 'running' | 'paused'): Promise<string> => {
  const runId = api.runtime.ids.next();
  await rowsOf(
    api,
    `insert into payout_run (id, merchant_id, status, total, items, as_of, created_by, created_at, updated_at)
      values (?, ?, 'running', '{}', 0, now(), 'key:test', now(), now())`,
    [runId, payout.merchantId],
  );
  await update(api, payout, 'payout_run_id = ?', runId);
  if (status === 'paused') await api.call('POST', `/payout-runs/${runId}/pause`, { key: payout.key });
  return runId;
};

/** Another payout of the affiliate was reported both paid and failed. */
const contradictOther = async (api: TestApi, payout: Made) => {
  await payout.act('process');
  await payout.act('fail', { note: 'The account is closed' });
  const { key, affiliateId, programId, payoutId } = payout;
  const { data } = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
  await rowsOf(
    api,
    `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
      select payout_id, 1, id, 'failed', 'paid', now() from payout_attempt where payout_id = ?`,
    [payoutId],
  );
  Object.assign(payout, { payoutId: data.id, read: async () => (await api.call('GET', `/payouts/${data.id}`, { key })).data });
};

const reviewCases = REVIEW_REASONS.filter(
  (reason) => reason !== 'contradiction' && reason !== 'return_unconfirmed' && reason !== 'reminders_exhausted',
).map((reason): PayoutCase => ({ state: 'to_decide', reason, prepare: (api, payout) => review(api, payout, reason) }));

const failureCases = FAILURE_CODES.map((code): PayoutCase => {
  const prepare: PayoutCase['prepare'] = (api, payout) => fail(api, payout, code);
  if (code === 'cancelled' || code === 'returned') return { state: code, reason: null, prepare };
  return { state: 'failed', reason: code, prepare };
});

const markPaid = async (payout: Made) => {
  await payout.act('process');
  await payout.act('complete');
};

/** A payout in each state, with each reason. */
export const PAYOUT_CASES: readonly PayoutCase[] = [
  {
    state: 'to_approve',
    reason: null,
    prepare: (api, payout) => update(api, payout, 'approval_required_at = now()'),
  },
  { state: 'queued', reason: null, prepare: byProvider },
  { state: 'sending', reason: null, prepare: (api, payout) => send(api, payout, 'accepted') },
  { state: 'sending', reason: 'outcome_unknown', prepare: (api, payout) => send(api, payout, 'unknown') },
  { state: 'sending', reason: 'waiting_for_payee', prepare: (api, payout) => unclaimed(api, payout, null) },
  { state: 'sending', reason: 'cancel_requested', prepare: (api, payout) => unclaimed(api, payout, new Date()) },
  { state: 'to_pay', reason: null, prepare: async () => {} },
  { state: 'to_pay', reason: 'payment_started', prepare: (_api, payout) => payout.act('process') },
  {
    state: 'to_pay',
    reason: 'reminders_exhausted',
    prepare: exhaustReminders,
  },
  { state: 'to_put_into_file', reason: null, prepare: (api, payout) => byBank(api, payout, null) },
  {
    state: 'to_put_into_file',
    reason: 'reminders_exhausted',
    async prepare(api, payout) {
      await byBank(api, payout, null);
      await exhaustReminders(api, payout);
    },
  },
  { state: 'at_bank', reason: 'in_bank_file', prepare: (api, payout) => byBank(api, payout, 'unknown') },
  { state: 'at_bank', reason: 'accepted_by_bank', prepare: (api, payout) => byBank(api, payout, 'accepted') },
  {
    state: 'at_bank',
    reason: 'reminders_exhausted',
    async prepare(api, payout) {
      await byBank(api, payout, 'accepted');
      await exhaustReminders(api, payout);
    },
  },
  {
    state: 'on_hold',
    reason: 'run_paused',
    prepare: async (api, payout) => {
      await putInRun(api, payout, 'paused');
      await byProvider(api, payout);
    },
  },
  { state: 'on_hold', reason: 'run_paused', prepare: (api, payout) => putInRun(api, payout, 'paused') },
  {
    state: 'on_hold',
    reason: 'run_paused',
    prepare: async (api, payout) => {
      await payout.act('process');
      await putInRun(api, payout, 'paused');
    },
  },
  { state: 'on_hold', reason: 'unresolved_contradiction', prepare: contradictOther },
  {
    state: 'on_hold',
    reason: 'account_held',
    async prepare(api, payout) {
      await update(api, payout, `rail = 'paypal'`);
      await api.runtime.context({ kind: 'system', name: 'test' }).em.execute(
        `insert into rail_account (id, merchant_id, rail, identity, settings, secrets, status, held_code, held_since, probe_at, created_at, updated_at)
          select gen_random_uuid(), merchant_id, rail, 'case', '{}', '', 'failing', 'INSUFFICIENT_FUNDS', now(), now(), now(), now()
          from payout where id = ?`,
        [payout.payoutId],
      );
    },
  },
  { state: 'on_hold', reason: 'account_missing', prepare: (api, payout) => update(api, payout, `rail = 'paypal'`) },
  { state: 'on_hold', reason: 'payments_held', prepare: (api) => holdPayments(systemOf(api), { cause: 'operator' }) },
  {
    state: 'on_hold',
    reason: 'payments_held',
    async prepare(api, payout) {
      await byProvider(api, payout);
      await holdPayments(systemOf(api), { cause: 'operator' });
    },
  },
  { state: 'on_hold', reason: 'payee_held', prepare: holdOnPayee },
  ...reviewCases,
  {
    state: 'to_decide',
    reason: 'return_unconfirmed',
    prepare: async (api, payout) => {
      await markPaid(payout);
      await update(api, payout, `needs_attention = true, review_reason = 'return_unconfirmed', attention_since = now()`);
    },
  },
  {
    state: 'contradiction',
    reason: null,
    prepare: async (api, payout) => {
      await markPaid(payout);
      await update(api, payout, `needs_attention = true, review_reason = 'contradiction', attention_since = now()`);
    },
  },
  { state: 'paid', reason: null, prepare: (_api, payout) => markPaid(payout) },
  ...failureCases,
];

/** A payout in the state of the case. A hold of all payments lasts until the next payout is made. */
export const makePayoutIn = async (api: TestApi, { prepare }: PayoutCase): Promise<Made> => {
  const hold = await findPaymentsHold(systemOf(api));
  if (hold) await liftPaymentsHold(systemOf(api), { id: hold.id, note: 'The books agree' });
  const payout = await makePayout(api);
  await prepare(api, payout);
  return payout;
};
