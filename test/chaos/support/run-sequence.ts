import type { PayoutDetails } from '../../../src/contracts/payouts.ts';
import { cancelRunPayouts, checkRun, createRunPayouts } from '../../../src/domains/payout-runs/index.ts';
import { destinationHash } from '../../../src/domains/payouts/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeMerchant,
  makeProgram,
  sendRefund,
  sendSale,
  unique,
} from '../../support/factories.ts';
import { raise } from '../../support/flags.ts';
import { type RailApi, railSteps, rowsOf } from '../../support/rail-payouts.ts';

/** Of a program whose affiliates are paid by runs. */
export const makeRunProgram = async (api: RailApi) => {
  const merchant = await makeMerchant(api.runtime);
  return { api, ...merchant, ...(await makeProgram(api, merchant.key, { payoutThreshold: 1_000, commissionType: 'one_time' })) };
};

type RunProgram = Awaited<ReturnType<typeof makeRunProgram>>;

export const PAYEES = 3;

export type RunStep =
  | { kind: 'sale'; payee: number; amount: number }
  | { kind: 'refund'; payee: number; percent: number }
  | { kind: 'block' | 'unblock' | 'hold' | 'release' | 'details' | 'flag' | 'dismiss' | 'alone'; payee: number }
  | { kind: 'draft' | 'confirm' | 'pause' | 'resume' | 'cancel' | 'turn' | 'look' | 'sweep' | 'send' }
  | { kind: 'killed'; after: number }
  | { kind: 'paid' | 'failed' | 'returned'; pick: number };

interface Shown {
  amount: number;
  destinationHash: string;
}

/** Affiliates, and the runs that pay them one after another. */
export const makePayees = async ({ api, key, programId, eventSecret, merchantId }: RunProgram) => {
  const { runtime } = api;
  const program = { programId, eventSecret };
  const context = (): Context => runtime.context({ kind: 'system', name: 'payoutRun' });
  const payees = await Promise.all(
    Array.from({ length: PAYEES }, async () => ({
      ...(await makeAffiliate(runtime, programId)),
      sales: [] as { saleId: string; conversionId: string; amount: number }[],
      flagId: null as string | null,
      key: null as string | null,
    })),
  );
  const ids = payees.map(({ affiliateId }) => affiliateId);
  /** What the person saw who confirmed, by run and affiliate. */
  const shown = new Map<string, Shown>();
  let runId: string | null = null;
  let isPaused = false;
  const call = async (method: 'POST' | 'PATCH', path: string, body: unknown = {}, as = key) => {
    const { status, data, error } = await api.call(method, path, { key: as, body });
    return { data, outcome: status < 300 ? 'ok' : (error.details?.reason ?? `${status} ${error.code}`) };
  };
  const ofRun = () => (runId === null ? [] : rowsOf(api, 'select * from payout where payout_run_id = ? order by id', [runId]));
  const payouts = () => rowsOf(api, 'select * from payout where affiliate_id = any(?) order by id', [`{${ids}}`]);
  const payeeOf = (at: number) => {
    const payee = payees[at % PAYEES];
    if (!payee) throw new Error('there is no such payee');
    return payee;
  };

  const draft = async () => {
    if (runId !== null) return 'skipped';
    const drafted = await call('POST', '/payout-runs', { programId, affiliateIds: ids });
    if (drafted.outcome === 'ok') runId = drafted.data.id;
    return drafted.outcome;
  };
  const confirm = async () => {
    if (runId === null) return 'skipped';
    const { data } = await api.call('GET', `/payout-runs/${runId}`, { key });
    const items = await rowsOf(api, `select * from payout_run_item where run_id = ? and result = 'planned'`, [runId]);
    if (data.status === 'draft')
      for (const { affiliate_id, amount, destination_hash } of items)
        shown.set(`${runId} ${affiliate_id}`, { amount: Number(amount), destinationHash: destination_hash });
    return (await call('POST', `/payout-runs/${runId}/confirm`, { total: data.total, items: data.items })).outcome;
  };
  const change = async (verb: 'pause' | 'resume' | 'cancel') => {
    if (runId === null) return 'skipped';
    const { outcome } = await call('POST', `/payout-runs/${runId}/${verb}`);
    if (outcome === 'ok') isPaused = verb === 'pause';
    return outcome;
  };
  /** Kills the process after so many rows have an id. The connection is lost, so nothing of the page is committed. */
  const killedContext = (after: number): Context => {
    const ctx = context();
    let left = after;
    const next = (): string => {
      if (left-- <= 0) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
      return ctx.ids.next();
    };
    return { ...ctx, em: ctx.em, ids: { next } };
  };
  const endedIf = (status: string): void => {
    if (status === 'completed') runId = null;
  };
  const stepOfWorkflow = async (
    work: (ctx: Context, input: { runId: string }) => Promise<{ status: string }>,
    ctx = context(),
  ) => {
    if (runId === null) return 'skipped';
    const { status } = await work(ctx, { runId });
    endedIf(status);
    return status;
  };
  const sweep = async () => {
    const done = await stepOfWorkflow(cancelRunPayouts);
    if (done === 'cancelled') runId = null;
    return done;
  };
  const send = async () => {
    for (const { id, status, rail } of await ofRun())
      if (status === 'pending' && rail === 'sandbox') await railSteps(api, id, key).send();
    return 'ok';
  };
  const report = async (status: 'paid' | 'failed' | 'returned', pick: number) => {
    const wanted = status === 'returned' ? 'completed' : 'processing';
    const open = (await payouts()).filter((payout) => payout.status === wanted);
    const payout = open[pick % Math.max(open.length, 1)];
    if (!payout) return 'skipped';
    const steps = railSteps(api, payout.id, key);
    await steps.report(status);
    if (status === 'returned') await steps.bookReturn();
    return 'ok';
  };
  const refund = async ({ payee, percent }: Extract<RunStep, { kind: 'refund' }>) => {
    const sale = payeeOf(payee).sales.at(-1);
    if (!sale) return 'skipped';
    const amount = Math.floor((sale.amount * percent) / 100);
    const refunded = await sendRefund(api, program, { saleId: sale.saleId, refundId: unique(), amount });
    return refunded.status < 300 ? 'ok' : 'refused';
  };
  const ofPayee = async (kind: string, at: number) => {
    const payee = payeeOf(at);
    const path = `/affiliates/${payee.affiliateId}`;
    if (kind === 'block' || kind === 'unblock') return (await call('POST', `${path}/${kind}`)).outcome;
    if (kind === 'hold' || kind === 'release') return (await call('PATCH', path, { payoutsPaused: kind === 'hold' })).outcome;
    if (kind === 'alone') return (await call('POST', '/payouts', { affiliateId: payee.affiliateId, programId })).outcome;
    if (kind === 'details') {
      payee.key ??= await makeAffiliateKey(runtime, payee.profileId);
      return (await call('PATCH', '/me/payout-info', { paypalEmail: `ok+${unique()}@example.com` }, payee.key)).outcome;
    }
    const sale = payee.sales.at(-1);
    if (kind === 'dismiss') {
      if (payee.flagId === null) return 'skipped';
      return (await call('POST', `/flags/${payee.flagId}/resolve`, { status: 'dismissed' })).outcome;
    }
    if (!sale) return 'skipped';
    const { affiliateId, profileId, code } = payee;
    const member = { merchantId, keyId: '', key, programId, eventSecret, program, affiliateId, profileId, code, ...sale };
    payee.flagId = (await raise(api, member)).flagId;
    return 'ok';
  };

  const perform = async (step: RunStep): Promise<string> => {
    switch (step.kind) {
      case 'sale': {
        const payee = payeeOf(step.payee);
        const saleId = `sale-${unique()}`;
        const sale = await sendSale(api, program, { saleId, amount: step.amount, referralCode: payee.code });
        if (sale.data?.conversionId) payee.sales.push({ saleId, conversionId: sale.data.conversionId, amount: step.amount });
        return sale.data?.outcome ?? 'refused';
      }
      case 'refund':
        return refund(step);
      case 'draft':
        return draft();
      case 'confirm':
        return confirm();
      case 'pause':
      case 'resume':
      case 'cancel':
        return change(step.kind);
      case 'turn':
        return stepOfWorkflow(createRunPayouts);
      case 'killed':
        return stepOfWorkflow(createRunPayouts, killedContext(step.after)).catch((error: { code?: string }) => {
          if (error.code === '57P01') return 'killed';
          throw error;
        });
      case 'look':
        return stepOfWorkflow(checkRun);
      case 'sweep':
        return sweep();
      case 'send':
        return send();
      case 'paid':
      case 'failed':
      case 'returned':
        return report(step.kind, step.pick);
      default:
        return ofPayee(step.kind, step.payee);
    }
  };

  const openDetails = (payout: { id: string; details: string }): PayoutDetails =>
    JSON.parse(runtime.cipher.decrypt(payout.details, { table: 'payout', column: 'details', row: payout.id }));
  /** What is wrong: nobody is paid more, elsewhere or more often than was shown. */
  const problems = async (): Promise<string[]> => {
    const found: string[] = [];
    const seen = new Set<string>();
    for (const payout of await payouts()) {
      if (payout.payout_run_id === null) continue;
      const name = `${payout.payout_run_id} ${payout.affiliate_id}`;
      const plan = shown.get(name);
      if (!plan) found.push(`payout ${payout.id} was never shown`);
      else if (Number(payout.amount) > plan.amount) found.push(`payout ${payout.id} pays ${payout.amount}, not ${plan.amount}`);
      else if (destinationHash(runtime.cipher, openDetails(payout)) !== plan.destinationHash)
        found.push(`payout ${payout.id} pays elsewhere`);
      if (seen.has(name)) found.push(`${name} has two payouts`);
      seen.add(name);
      const orders = api.provider.orders.filter(({ reference }) => reference === payout.id);
      if (orders.length > 1) found.push(`payout ${payout.id} was sent ${orders.length} times`);
      if (orders.some(({ amount }) => amount !== Number(payout.amount)))
        found.push(`payout ${payout.id} was sent with another amount`);
    }
    return found;
  };
  /** What no pause may let through. */
  const counts = async () => {
    const own = await ofRun();
    const references = new Set(own.map(({ id }) => id));
    return {
      isPaused,
      payouts: own.length,
      sent: api.provider.orders.filter(({ reference }) => references.has(reference)).length,
    };
  };
  const reasons = async (): Promise<string[]> =>
    (
      await rowsOf(api, `select distinct reason from payout_run_item where affiliate_id = any(?) and reason is not null`, [
        `{${ids}}`,
      ])
    ).map(({ reason }) => reason);
  /** Ends what is unfinished, so that the next sequence may draft. */
  const end = async () => {
    if (runId === null) return;
    await change('cancel');
    await sweep();
  };
  return { ids, perform, problems, counts, reasons, end };
};
