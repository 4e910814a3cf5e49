import type { SeededRandom } from '../chaos/support/seeded-random.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale, type TestProgram, unique } from './factories.ts';
import { signedNotification } from './notification-receiver.ts';
import { NOTE, paidPayouts } from './paid-payouts.ts';
import type { TestSystem } from './system.ts';
import { until } from './until.ts';

export const CURRENCIES = ['usd', 'jpy'] as const;

/** What the provider does with payouts of an affiliate, by the local part of the address; null: finance pays them by hand. */
const BEHAVIORS = [
  ...['ok', 'ok', 'fail-odd-code', 'fail-later', 'returned', 'unknown-paid', 'unknown-unpaid', 'unknown-unpaid-always'],
  ...[null, null, null],
];

/** In the minor units of either currency; a fifth of it is the affiliate's. */
const SALE = 100_000;
const EVIDENCE = { ...NOTE, evidence: 'Statement 12' };

interface Affiliate {
  affiliateId: string;
  code: string;
  currency: string;
  program: TestProgram;
  behavior: string | null;
}

interface PayoutRow {
  id: string;
  affiliateId: string;
  status: string;
  failureCode: string | null;
  isManual: boolean;
  isRetried: boolean;
  /** Whether a person's evidence made it fail. */
  isReturnedByEvidence: boolean;
}

const PAYOUTS = `select id, affiliate_id as "affiliateId", status, failure_code as "failureCode", rail = 'manual' as "isManual",
    exists (select from payout r where r.retry_of = p.id) as "isRetried",
    status = 'failed' and failure_code = 'returned' and (select evidence is not null from payout_correction k
      where k.payout_id = p.id and k.status = 'booked' order by n desc limit 1) as "isReturnedByEvidence"
  from payout p order by id`;

interface Change {
  isFor(payout: PayoutRow): boolean;
  make(payout: PayoutRow): Promise<unknown>;
}

const isOpen = ({ status }: PayoutRow): boolean => status === 'pending' || status === 'processing';
const isPaidByProvider = ({ status, isManual }: PayoutRow): boolean => status === 'completed' && !isManual;
const isRefused = ({ failureCode, isManual }: PayoutRow): boolean =>
  !isManual && ['rail_rejected', 'account_refused', 'not_claimed', 'marked_failed'].includes(failureCode ?? '');

interface PayoutView {
  status: string;
  reviewReason: string | null;
  amount: number;
  currency: string;
}

interface Creation extends Pick<Affiliate, 'behavior'> {
  /** Below 100. */
  choice: number;
  body: object;
}

/** What finance and the provider do with a payout. */
const payoutActions = (system: TestSystem, key: string) => {
  const read = async (id: string): Promise<PayoutView> => (await system.call('GET', `/payouts/${id}`, { key })).data;
  const becomes = (id: string, isExpected: (payout: PayoutView) => boolean) =>
    until(`payout ${id} is as expected`, () => read(id), isExpected).catch(async (error: Error) => {
      throw new Error(`${error.message}\n${await historyOf(id)}`);
    });

  /** What the payout's workflow did last, when it does not get on. */
  const historyOf = async (id: string): Promise<string> => {
    const handle = paidPayouts(system).handleOf(id);
    const { status, runId, raw } = await handle.describe();
    const { events } = await handle.fetchHistory();
    const last = events?.slice(-12).map(({ eventId, eventType }) => `${eventId} ${eventType}`);
    const { pendingActivities, pendingWorkflowTask } = raw;
    return JSON.stringify({ status: status.name, runId, last, pendingActivities, pendingWorkflowTask });
  };

  const act = async (id: string, verb: string, body: object = {}): Promise<void> => {
    const { status, text } = await system.call('POST', `/payouts/${id}/${verb}`, { key, body });
    if (status >= 400) throw new Error(`${verb}: ${text}`);
  };

  const payByHand = async (id: string, outcome: 'complete' | 'fail'): Promise<void> => {
    if ((await read(id)).status === 'pending') await act(id, 'process');
    await act(id, outcome, outcome === 'fail' ? NOTE : { bankReference: `bank-${id.slice(-6)}` });
  };

  const notify = async (id: string, status: 'paid' | 'failed'): Promise<void> => {
    const { amount, currency } = await read(id);
    const transfer = (await system.sandbox.transfers()).find(({ reference }) => reference === id);
    const now = new Date();
    const signed = signedNotification({
      secret: system.sandbox.notificationSecret,
      ...{ id: `ntc_${unique()}`, type: `transfer.${status}`, idempotencyKey: `payout-${id}-1`, now, occurredAt: now },
      transferId: transfer?.id ?? `trf_${unique()}`,
      record: { reference: id, amount, currency },
    });
    await system.raw('POST', '/api/integrations/rails/sandbox', signed);
  };

  const contradict = async (id: string, reported: 'paid' | 'failed', outcome: 'paid' | 'not_paid'): Promise<void> => {
    await notify(id, reported);
    await act(id, 'resolve', { ...NOTE, outcome });
  };

  /** A person says that the money came back, which the provider does not confirm, and then withdraws it or shows evidence. */
  const reportReturn = async (id: string, outcome: 'paid' | 'not_paid'): Promise<void> => {
    await act(id, 'return', NOTE);
    const { reviewReason } = await becomes(id, (payout) => payout.reviewReason !== null);
    // What the provider never paid, and a person resolved as paid before.
    if (reviewReason === 'contradiction') await act(id, 'resolve', { ...NOTE, outcome });
    const { reviewReason: unconfirmed } = await read(id);
    if (unconfirmed !== null && outcome === 'paid') await act(id, 'resolve', { ...NOTE, outcome });
    if (unconfirmed !== null && outcome === 'not_paid') await act(id, 'return', EVIDENCE);
  };

  /** Until the provider's first word is known, or a person's. */
  const follow = async (id: string, behavior: string | null, choice: number): Promise<void> => {
    if (behavior === null && choice < 15) return act(id, 'cancel');
    // The others wait for another day.
    if (behavior === null) return choice < 70 ? payByHand(id, choice < 30 ? 'fail' : 'complete') : undefined;
    const isDecided = ({ status, reviewReason }: PayoutView) =>
      reviewReason !== null || status === 'failed' || (status === 'completed' && behavior !== 'returned');
    const { reviewReason } = await becomes(id, isDecided);
    if (reviewReason === 'resends_exhausted') await act(id, choice < 50 ? 'complete' : 'fail', NOTE);
  };

  return { act, payByHand, contradict, reportReturn, follow };
};

/** Programs of one merchant with a currency each, and their payouts. `random` chooses what happens to which of them. */
export const openPayoutMonth = async (system: TestSystem, random: SeededRandom) => {
  const merchant = await makeMerchant(system.runtime);
  const { key } = merchant;
  const { act, payByHand, contradict, reportReturn, follow } = payoutActions(system, key);
  const affiliates: Affiliate[] = [];
  for (const currency of CURRENCIES) {
    const program = await makeProgram(system, key, { currency });
    for (const behavior of BEHAVIORS) {
      const details = behavior === null ? { holder: 'Ada Test' } : `${behavior}+${unique()}`;
      const { affiliateId, code } = await makeAffiliate(system.runtime, program.programId, details);
      affiliates.push({ affiliateId, code, currency, program, behavior });
    }
  }
  /** Payouts that were not created, by reason. */
  const refusals: string[] = [];

  const create = async (path: string, { behavior, choice, body }: Creation): Promise<void> => {
    const { data, error } = await system.call('POST', path, { key, body });
    if (data) await follow(data.id, behavior, choice);
    else refusals.push(error.details?.reason ?? error.code);
  };

  const pay = async ({ affiliateId, code, currency, program, behavior }: Affiliate, choice: number): Promise<void> => {
    await sendSale(system, program, { amount: SALE, currency, referralCode: code });
    await create('/payouts', { behavior, choice, body: { affiliateId, programId: program.programId } });
  };

  const retry = async ({ id, affiliateId }: PayoutRow): Promise<void> => {
    const { behavior = null } = affiliates.find((each) => each.affiliateId === affiliateId) ?? {};
    await create(`/payouts/${id}/retry`, { behavior, choice: random.integer(100), body: {} });
  };

  /** What happens to a payout days after it began. */
  const changes: Readonly<Record<string, Change>> = {
    'paid by hand': { isFor: isOpen, make: ({ id }) => payByHand(id, 'complete') },
    'failed by hand': { isFor: isOpen, make: ({ id }) => payByHand(id, 'fail') },
    'returned to the bank': {
      isFor: ({ status, isManual }) => status === 'completed' && isManual,
      make: ({ id }) => act(id, 'return', { ...NOTE, bankReference: `back-${id.slice(-6)}` }),
    },
    'returned, with evidence': { isFor: isPaidByProvider, make: ({ id }) => act(id, 'return', EVIDENCE) },
    'return reported, then evidence': {
      isFor: isPaidByProvider,
      make: ({ id }) => reportReturn(id, 'not_paid'),
    },
    'return reported, then withdrawn': {
      isFor: isPaidByProvider,
      make: ({ id }) => reportReturn(id, 'paid'),
    },
    'paid, reported as failed: paid': { isFor: isPaidByProvider, make: ({ id }) => contradict(id, 'failed', 'paid') },
    'paid, reported as failed: not paid': { isFor: isPaidByProvider, make: ({ id }) => contradict(id, 'failed', 'not_paid') },
    'failed, reported as paid: paid': { isFor: isRefused, make: ({ id }) => contradict(id, 'paid', 'paid') },
    'failed, reported as paid: not paid': { isFor: isRefused, make: ({ id }) => contradict(id, 'paid', 'not_paid') },
    'returned, reported as paid: paid': {
      isFor: (payout) => payout.isReturnedByEvidence,
      make: ({ id }) => contradict(id, 'paid', 'paid'),
    },
    retried: {
      isFor: ({ status, isRetried }) => status === 'failed' && !isRetried,
      make: retry,
    },
  };
  const made = new Map(Object.keys(changes).map((name) => [name, 0]));

  const listPayouts = async (): Promise<PayoutRow[]> =>
    system.runtime.context({ kind: 'system', name: 'test' }).em.execute<PayoutRow[]>(PAYOUTS);

  /** Begins the change that was made least often among those that a payout of somebody else can have. */
  const changeOne = (payouts: readonly PayoutRow[], busy: Set<string>): Promise<unknown> | undefined => {
    for (const [name, times] of [...made].sort(([, one], [, other]) => one - other)) {
      const { isFor, make } = changes[name] as Change;
      const fitting = payouts.filter((payout) => !busy.has(payout.affiliateId) && isFor(payout));
      if (fitting.length === 0) continue;
      const payout = random.pick(fitting);
      busy.add(payout.affiliateId);
      made.set(name, times + 1);
      return make(payout);
    }
    return undefined;
  };

  /** Two payouts that began before change, and three are created, all of different affiliates. */
  const playDay = async (): Promise<void> => {
    const payouts = await listPayouts();
    const busy = new Set<string>();
    const work = [changeOne(payouts, busy), changeOne(payouts, busy)];
    for (const { affiliateId } of payouts.filter(isOpen)) busy.add(affiliateId);
    for (let n = 0; n < 3; n++) {
      const affiliate = random.pick(affiliates.filter(({ affiliateId }) => !busy.has(affiliateId)));
      busy.add(affiliate.affiliateId);
      work.push(pay(affiliate, random.integer(100)));
    }
    await Promise.all(work);
  };

  /** What still waits is paid. */
  const finish = async (): Promise<void> => {
    for (const { id } of (await listPayouts()).filter(isOpen)) await payByHand(id, 'complete');
  };

  return { ...merchant, affiliates, made, refusals, listPayouts, playDay, finish };
};
