import { cancelRunPayouts, checkRun, createRunPayouts } from '../../../src/domains/payout-runs/index.ts';
import type { Context } from '../../../src/platform/context.ts';
import {
  makeAffiliate,
  makeAffiliateKey,
  makeKey,
  makeMerchant,
  makeProgram,
  sendRefund,
  sendSale,
  unique,
} from '../../support/factories.ts';
import { raise } from '../../support/flags.ts';
import { type RailApi, railSteps, rowsOf } from '../../support/rail-payouts.ts';
import { findRunProblems, type Shown } from './run-problems.ts';

/** From this amount on, in minor units, the second key approves. */
const THRESHOLD = 6_000;

/** A merchant with keys of two lines, and two programs whose affiliates are paid by runs. */
export const makeRunPrograms = async (api: RailApi) => {
  const merchant = await makeMerchant(api.runtime);
  const { key, merchantId } = merchant;
  const second = await makeKey(api.runtime, { ownerId: merchantId });
  const newProgram = () => makeProgram(api, key, { payoutThreshold: 1_000, commissionType: 'one_time' });
  const programs = [await newProgram(), await newProgram()] as const;
  const { status } = await api.call('PATCH', '/merchant', { key, body: { payoutApprovalThreshold: { usd: THRESHOLD } } });
  if (status !== 200) throw new Error(`no threshold: ${status}`);
  return { api, ...merchant, second, programs };
};

type RunPrograms = Awaited<ReturnType<typeof makeRunPrograms>>;

/** The last one is in the second program. */
export const PAYEES = 3;
/** A run of each program. */
const SLOTS = 2;

export const RUN_STEPS = ['confirm', 'approve', 'pause', 'resume', 'cancel', 'turn', 'look', 'sweep'] as const;

export type RunStep =
  | { kind: 'sale' | 'bonus'; payee: number; amount: number }
  | { kind: 'refund'; payee: number; percent: number }
  | { kind: 'block' | 'unblock' | 'hold' | 'release' | 'details' | 'flag' | 'dismiss' | 'alone' | 'allow'; payee: number }
  /** `both`: one run of all programs. */
  | { kind: 'draft'; at: number; both: boolean }
  | { kind: (typeof RUN_STEPS)[number]; at: number }
  /** By whoever drafted and confirmed it. */
  | { kind: 'approve own'; at: number }
  | { kind: 'send' }
  | { kind: 'killed'; at: number; after: number }
  | { kind: 'paid' | 'failed' | 'returned'; pick: number };

/** Affiliates, and the runs that pay them one after another. */
export const makePayees = async ({ api, key, second, programs, merchantId }: RunPrograms) => {
  const { runtime } = api;
  const context = (): Context => runtime.context({ kind: 'system', name: 'payoutRun' });
  const payees = await Promise.all(
    Array.from({ length: PAYEES }, async (_, at) => ({
      ...(await makeAffiliate(runtime, programs[at < PAYEES - 1 ? 0 : 1].programId)),
      program: programs[at < PAYEES - 1 ? 0 : 1],
      sales: [] as { saleId: string; conversionId: string; amount: number }[],
      flagId: null as string | null,
      key: null as string | null,
    })),
  );
  const ids = payees.map(({ affiliateId }) => affiliateId);
  /** What the person saw who confirmed, by run and affiliate. */
  const shown = new Map<string, Shown>();
  const runs: (string | null)[] = [null, null];
  const paused = new Set<string>();
  const runAt = (at: number): string | null => runs[at % SLOTS] ?? null;
  const call = async (method: 'POST' | 'PATCH', path: string, body: unknown = {}, as = key) => {
    const { status, data, error } = await api.call(method, path, { key: as, body });
    return { data, outcome: status < 300 ? 'ok' : (error.details?.reason ?? `${status} ${error.code}`) };
  };
  const payouts = () => rowsOf(api, 'select * from payout where affiliate_id = any(?) order by id', [`{${ids}}`]);
  const payeeOf = (at: number) => {
    const payee = payees[at % PAYEES];
    if (!payee) throw new Error('there is no such payee');
    return payee;
  };

  const draft = async ({ at, both }: Extract<RunStep, { kind: 'draft' }>) => {
    const slots = both ? [0, 1] : [at % SLOTS];
    if (slots.some((slot) => runs[slot] !== null)) return 'skipped';
    const programId = both ? {} : { programId: programs[at % SLOTS === 0 ? 0 : 1].programId };
    const drafted = await call('POST', '/payout-runs', { ...programId, affiliateIds: ids });
    if (drafted.outcome === 'ok') for (const slot of slots) runs[slot] = drafted.data.id;
    return drafted.outcome;
  };
  const confirm = async (runId: string) => {
    const { data } = await api.call('GET', `/payout-runs/${runId}`, { key });
    const items = await rowsOf(api, `select * from payout_run_item where run_id = ? and result = 'planned'`, [runId]);
    if (data.status === 'draft')
      for (const { affiliate_id, amount, destination_hash } of items)
        shown.set(`${runId} ${affiliate_id}`, { amount: Number(amount), destinationHash: destination_hash });
    const confirmed = await call('POST', `/payout-runs/${runId}/confirm`, { total: data.total, items: data.items });
    return confirmed.outcome === 'ok' ? confirmed.data.status : confirmed.outcome;
  };
  const change = async (runId: string, verb: 'approve' | 'pause' | 'resume' | 'cancel', as = key) => {
    const { outcome } = await call('POST', `/payout-runs/${runId}/${verb}`, {}, as);
    if (outcome !== 'ok') return outcome;
    if (verb === 'pause') paused.add(runId);
    else paused.delete(runId);
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
  const over = (runId: string): void => {
    for (const [slot, id] of runs.entries()) if (id === runId) runs[slot] = null;
    paused.delete(runId);
  };
  const stepOfWorkflow = async (
    runId: string,
    work: (ctx: Context, input: { runId: string }) => Promise<{ status: string }>,
    ctx = context(),
  ) => {
    const { status } = await work(ctx, { runId });
    if (status === 'completed') over(runId);
    return status;
  };
  const sweep = async (runId: string) => {
    const done = await stepOfWorkflow(runId, cancelRunPayouts);
    if (done === 'cancelled') over(runId);
    return done;
  };
  const send = async () => {
    for (const { id, status, rail } of await payouts())
      if (status === 'pending' && rail === 'sandbox') await railSteps(api, id, key).send();
    return 'ok';
  };
  const allow = async ({ affiliateId }: { affiliateId: string }) => {
    const waiting = (await payouts()).find((payout) => payout.affiliate_id === affiliateId && payout.status === 'pending');
    return waiting ? (await call('POST', `/payouts/${waiting.id}/approve`, {}, second.key)).outcome : 'skipped';
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
    const { sales, program } = payeeOf(payee);
    const sale = sales.at(-1);
    if (!sale) return 'skipped';
    const amount = Math.floor((sale.amount * percent) / 100);
    const refunded = await sendRefund(api, program, { saleId: sale.saleId, refundId: unique(), amount });
    return refunded.status < 300 ? 'ok' : 'refused';
  };
  const ofPayee = async (kind: string, at: number) => {
    const payee = payeeOf(at);
    const path = `/affiliates/${payee.affiliateId}`;
    const { program } = payee;
    const { programId, eventSecret } = program;
    if (kind === 'block' || kind === 'unblock') return (await call('POST', `${path}/${kind}`)).outcome;
    if (kind === 'hold' || kind === 'release') return (await call('PATCH', path, { payoutsPaused: kind === 'hold' })).outcome;
    if (kind === 'alone') return (await call('POST', '/payouts', { affiliateId: payee.affiliateId, programId })).outcome;
    if (kind === 'allow') return allow(payee);
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

  const ofRun = async (step: Extract<RunStep, { at: number }>): Promise<string> => {
    if (step.kind === 'draft') return draft(step);
    const runId = runAt(step.at);
    if (runId === null) return 'skipped';
    switch (step.kind) {
      case 'confirm':
        return confirm(runId);
      case 'approve':
        return change(runId, 'approve', second.key);
      case 'approve own':
        return change(runId, 'approve');
      case 'turn':
        return stepOfWorkflow(runId, createRunPayouts);
      case 'killed':
        return stepOfWorkflow(runId, createRunPayouts, killedContext(step.after)).catch((error: { code?: string }) => {
          if (error.code === '57P01') return 'killed';
          throw error;
        });
      case 'look':
        return stepOfWorkflow(runId, checkRun);
      case 'sweep':
        return sweep(runId);
      default:
        return change(runId, step.kind);
    }
  };

  const perform = async (step: RunStep): Promise<string> => {
    if ('at' in step) return ofRun(step);
    switch (step.kind) {
      case 'sale': {
        const payee = payeeOf(step.payee);
        const saleId = `sale-${unique()}`;
        const sale = await sendSale(api, payee.program, { saleId, amount: step.amount, referralCode: payee.code });
        if (sale.data?.conversionId) payee.sales.push({ saleId, conversionId: sale.data.conversionId, amount: step.amount });
        return sale.data?.outcome ?? 'refused';
      }
      case 'bonus': {
        const path = `/affiliates/${payeeOf(step.payee).affiliateId}/adjustments`;
        return (await call('POST', path, { kind: 'bonus', amount: step.amount, note: 'Agreed' }, second.key)).outcome;
      }
      case 'refund':
        return refund(step);
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

  const problems = () => findRunProblems(api, { ids, shown, second: `key:${second.keyId}`, threshold: THRESHOLD });
  /** What no pause may let through, by paused run. */
  const counts = async (): Promise<Record<string, { payouts: number; sent: number }>> => {
    const all = await payouts();
    return Object.fromEntries(
      [...paused].map((runId) => {
        const own = new Set(all.flatMap((payout) => (payout.payout_run_id === runId ? [payout.id] : [])));
        const sent = api.provider.orders.filter(({ reference }) => own.has(reference)).length;
        return [runId, { payouts: own.size, sent }];
      }),
    );
  };
  const reasons = async (): Promise<string[]> =>
    (
      await rowsOf(api, `select distinct reason from payout_run_item where affiliate_id = any(?) and reason is not null`, [
        `{${ids}}`,
      ])
    ).map(({ reason }) => reason);
  /** Ends what is unfinished, so that the next sequence may draft, a day later. */
  const end = async () => {
    for (const runId of new Set(runs)) {
      if (runId === null) continue;
      await change(runId, 'cancel');
      await sweep(runId);
    }
    await rowsOf(api, `update payout set created_at = created_at - interval '25 hours' where affiliate_id = any(?)`, [
      `{${ids}}`,
    ]);
  };
  return { ids, perform, problems, counts, reasons, end };
};
