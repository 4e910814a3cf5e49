import { inTransaction } from '../../src/platform/context.ts';
import type { TestApi } from './api.ts';
import {
  makeAffiliate,
  makeMerchant,
  makeProgram,
  sendSale,
  type TestAffiliate,
  type TestMerchant,
  unique,
} from './factories.ts';
import { until } from './until.ts';

export interface Payee extends TestAffiliate {
  /** Amount of the sale that they earned 20% of. */
  amount: number;
  saleId: string;
}

type PayeeOptions = Pick<Payee, 'amount'> & { local?: Parameters<typeof makeAffiliate>[2] };

/** A merchant with a program and affiliates to whom 20 % of a sale are payable. */
export const makePayees = async (
  api: TestApi,
  options: readonly PayeeOptions[],
  program: Record<string, unknown> & { currency?: string } = {},
  given?: TestMerchant,
) => {
  const merchant = given ?? (await makeMerchant(api.runtime));
  const { currency = 'usd' } = program;
  const own = await makeProgram(api, merchant.key, program);
  const addPayee = async ({ amount, local }: PayeeOptions): Promise<Payee> => {
    const affiliate = await makeAffiliate(api.runtime, own.programId, local);
    const saleId = `sale-${unique()}`;
    const sale = await sendSale(api, own, { saleId, amount, currency, referralCode: affiliate.code });
    if (sale.data?.outcome !== 'recorded') throw new Error(`no sale: ${sale.text}`);
    return { ...affiliate, amount, saleId };
  };
  const payees: Payee[] = [];
  for (const each of options) payees.push(await addPayee(each));
  return { ...merchant, ...own, program: own, payees, addPayee };
};

type Payees = Pick<Awaited<ReturnType<typeof makePayees>>, 'key' | 'programId'>;

/** A draft of what is payable in the program now. */
export const draftRun = async (api: TestApi, { key, programId }: Payees, more: Record<string, unknown> = {}) => {
  const drafted = await api.call('POST', '/payout-runs', { key, body: { programId, ...more } });
  if (drafted.status !== 201) throw new Error(`no run: ${drafted.text}`);
  const runId: string = drafted.data.id;
  const { total, items } = drafted.data;
  const act = (verb: string, body?: unknown) => api.call('POST', `/payout-runs/${runId}/${verb}`, { key, body });
  return {
    runId,
    total,
    act,
    confirm: () => act('confirm', { total, items }),
    read: async () => (await api.call('GET', `/payout-runs/${runId}`, { key })).data,
    itemsOf: async () => (await api.call('GET', `/payout-runs/${runId}/items?limit=100`, { key })).data,
  };
};

interface Progress {
  status: string;
  paid: number;
}

/** A run may take an hour; its next payout may not. */
export const untilRunIsCompleted = async ({ runtime }: TestApi, runId: string): Promise<void> => {
  const { em } = runtime.context({ kind: 'system', name: 'test' });
  const progressOf = async (): Promise<Progress> => {
    const [row] = await em.execute<[Progress]>(
      `select status, (select count(*)::int from payout p where p.payout_run_id = r.id and p.status = 'completed') as paid
        from payout_run r where id = ?`,
      [runId],
    );
    return row;
  };
  let seen: Progress = { status: 'running', paid: -1 };
  while (seen.status !== 'completed')
    seen = await until(
      'the next payout of the run is completed',
      progressOf,
      ({ status, paid }) => status === 'completed' || paid > seen.paid,
    );
};

export const transactionAs = <T>({ runtime }: TestApi, work: Parameters<typeof inTransaction<T>>[1]): Promise<T> =>
  inTransaction(runtime.context({ kind: 'system', name: 'test' }), work);
