import type { RailStatus } from '../../src/contracts/payouts.ts';
import type { PayoutSnapshot } from '../../src/contracts/workflows/payouts.ts';
import {
  bookCorrection,
  checkPayout,
  checkReturn,
  lookUpPayout,
  type Rails,
  sendPayout,
} from '../../src/domains/payouts/index.ts';
import type { Context } from '../../src/platform/context.ts';
import { generateSigningSecret } from '../../src/platform/crypto/standard-webhooks.ts';
import { type OwnTestApi, openTestApi, type TestApi } from './api.ts';
import { unique } from './factories.ts';
import { signedNotification } from './notification-receiver.ts';
import { makePayout } from './payouts.ts';
import { type ProviderOrder, type ScriptedProvider, startScriptedProvider } from './provider.ts';
import { FAST_LIMITS } from './system.ts';
import { useForFile } from './use-for-file.ts';

const SECRET = generateSigningSecret();

export interface RailApi extends OwnTestApi {
  provider: ScriptedProvider;
}

/** An API whose payouts are paid by a scripted provider. No worker runs: the test executes each activity. */
export const useRailApi = (options: Parameters<typeof openTestApi>[1] = {}): RailApi =>
  useForFile(async () => {
    const provider = await startScriptedProvider();
    const api = await openTestApi(
      {
        RAIL_PAYPAL: 'sandbox',
        SANDBOX_URL: provider.url,
        SANDBOX_API_KEY: 'sandbox-key-for-tests',
        SANDBOX_NOTIFICATION_SECRET: SECRET,
      },
      options,
    );
    api.runtime.settings.payoutLimits = FAST_LIMITS;
    const close = async () => {
      await api.close();
      await provider.close();
    };
    return { ...api, provider, close };
  });

/** The provider's record of an order. */
export const transferOf = (order: Omit<ProviderOrder, 'recipient'>, status: string, more: object = {}) => ({
  status: 200,
  body: { id: 'trf_1', failureCode: null, ...order, status, ...more },
});

export type RailPayout = Awaited<ReturnType<typeof payByRail>>;

/** A payout on the scripted provider's rail, not started yet, with its activities. */
export const payByRail = async (api: RailApi, options: Parameters<typeof makePayout>[1] = {}) => {
  const made = await makePayout(api, options);
  return { ...made, ...railSteps(api, made.payoutId, made.key) };
};

/** The activities of a payout's workflow, and what the provider and the caller can do about it. */
export const railSteps = (api: RailApi, payoutId: string, key: string) => {
  const { runtime } = api;
  const ctx = (): Context => runtime.context({ kind: 'system', name: 'test' });
  const send = (on: Context = ctx(), rails: Rails = runtime.rails): Promise<PayoutSnapshot> =>
    sendPayout(on, rails, { payoutId });
  const load = (): Promise<PayoutSnapshot> => checkPayout(ctx(), { payoutId });
  const lookUp = (on: Context = ctx(), rails: Rails = runtime.rails): Promise<PayoutSnapshot> =>
    lookUpPayout(on, rails, { payoutId });
  const idempotencyKey = `payout-${payoutId}-1`;
  /** What the provider says that the transfer is, by default what was ordered. */
  const recordOf = async () => {
    const [row] = await rowsOf(api, 'select amount::int, currency from payout where id = ?', [payoutId]);
    return { reference: payoutId, amount: 2000, currency: 'usd', ...row };
  };
  const notify = async (
    status: RailStatus,
    more: Partial<
      Pick<Parameters<typeof signedNotification>[0], 'failureCode' | 'occurredAt' | 'id' | 'transferId' | 'record'>
    > = {},
  ) => {
    const record = more.record === undefined ? await recordOf() : more.record;
    const at = { now: new Date(), occurredAt: new Date() };
    const id = `ntc_${unique()}`;
    const transfer = { idempotencyKey, transferId: 'trf_1', record };
    const signed = signedNotification({ secret: SECRET, id, type: `transfer.${status}`, ...transfer, ...at, ...more });
    return api.raw('POST', '/api/integrations/rails/sandbox', signed);
  };
  const report = async (status: RailStatus, more: Parameters<typeof notify>[1] = {}) => {
    await notify(status, more);
    return load();
  };
  const timeline = async () => (await api.call('GET', `/payouts/${payoutId}/timeline`, { key })).data as TimelineItem[];
  const attempt = async () => (await rowsOf(api, 'select * from payout_attempt where payout_id = ?', [payoutId]))[0] ?? {};
  const corrections = () => rowsOf(api, 'select * from payout_correction where payout_id = ? order by n', [payoutId]);
  /** The open one, else the last one. */
  const correction = async () => {
    const all = await corrections();
    return { payoutId, n: (all.find(({ status }) => status === 'open') ?? all.at(-1)).n as number };
  };
  const bookReturn = async () => bookCorrection(ctx(), await correction());
  const askAboutReturn = async () => checkReturn(ctx(), runtime.rails, await correction());
  const order = { idempotencyKey, reference: payoutId, amount: 2000, currency: 'usd' };
  return { send, load, lookUp, notify, report, timeline, attempt, corrections, bookReturn, askAboutReturn, order };
};

export interface TimelineItem {
  type: string;
  reason: string | null;
  outcome: string | null;
  to: string | null;
  times: number;
  lastAt: string;
  at: string;
}

// biome-ignore lint/suspicious/noExplicitAny: rows of every shape
export const rowsOf = (api: TestApi, text: string, values: unknown[] = []): Promise<any[]> =>
  api.runtime.context({ kind: 'system', name: 'test' }).em.execute(text, values);
