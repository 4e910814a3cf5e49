import { decimalsOf } from '../../src/contracts/currencies.ts';
import { startCopy } from './copies.ts';
import { makePayable, type TestMerchant, unique } from './factories.ts';
import { type ResetPoint, resetWorkflow } from './operate.ts';
import { makeManualPayout } from './payouts.ts';
import type { TestSystem } from './system.ts';
import { until } from './until.ts';

export const NOTE = { note: 'The bank told us' };

interface Options {
  merchant?: TestMerchant;
  amount?: number;
}

/** Payouts of a system, and what people do to their workflows in the Temporal UI. */
export const paidPayouts = (system: TestSystem) => {
  const em = () => system.runtime.context({ kind: 'system', name: 'test' }).em;
  const handleOf = (id: string, runId?: string) => system.temporal.clients.finance.workflow.getHandle(`payout/${id}`, runId);

  const bySandbox = async (local: string, options: Options = {}) => {
    const payable = await makePayable(system, { ...options, local: `${local}+${unique()}` });
    const { key, affiliateId, programId } = payable;
    const { data } = await system.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    const payoutId: string = data.id;
    const read = async () => (await system.call('GET', `/payouts/${payoutId}`, { key })).data;
    const ends = (...statuses: string[]) =>
      until(`the payout is ${statuses.join(' or ')}`, read, ({ status }) => statuses.includes(status));
    const act = (verb: string, body: object) => system.call('POST', `/payouts/${payoutId}/${verb}`, { key, body });
    return { ...payable, payoutId, read, ends, act };
  };

  const byHand = async (verbs: readonly ('process' | 'complete' | 'fail' | 'cancel' | 'return')[], options: Options = {}) => {
    const payout = await makeManualPayout(system, options);
    for (const verb of verbs) {
      const { status, text } = await payout.act(verb, verb === 'process' || verb === 'cancel' ? {} : NOTE);
      if (status !== 200) throw new Error(`${verb}: ${text}`);
    }
    return payout;
  };

  const contradict = async (payoutId: string, recorded: 'paid' | 'failed', reported: 'paid' | 'failed') => {
    await em().execute(
      `insert into payout_contradiction (payout_id, n, attempt_id, recorded, reported, opened_at)
        select payout_id, 1, id, ?, ?, now() from payout_attempt where payout_id = ?`,
      [recorded, reported, payoutId],
    );
    await em().execute(`update payout set needs_attention = true, review_reason = 'contradiction' where id = ?`, [payoutId]);
  };

  const stateOf = async (id: string) => {
    const described = await handleOf(id)
      .describe()
      .catch(() => null);
    return String(described?.searchAttributes['State']?.[0]);
  };
  const shows = (id: string, state: string) =>
    until(
      `${id} shows the state ${state}`,
      () => stateOf(id),
      (seen) => seen === state,
    );

  const reset = (id: string, to?: ResetPoint) => resetWorkflow(system.temporal.clients.finance, `payout/${id}`, to);
  const copy = (payoutId: string) => startCopy(system.temporal.clients.finance, `payout/${payoutId}`);

  const timelineOf = async (payoutId: string): Promise<string[]> => {
    const rows = await em().execute('select type from payout_timeline where payout_id = ? order by seq', [payoutId]);
    return rows.map(({ type }) => String(type));
  };

  /** What a person adds up over a list of the Temporal UI, of one currency and in minor units. */
  const sumOfList = async (filter: string, currency = 'usd'): Promise<number> => {
    let sum = 0;
    const query = `(${filter}) AND Currency = "${currency}"`;
    for await (const { searchAttributes } of system.temporal.clients.finance.workflow.list({ query }))
      sum += Math.round(Number(searchAttributes['PaidAmount']?.[0] ?? 0) * 10 ** decimalsOf(currency));
    return sum;
  };

  return { em, handleOf, bySandbox, byHand, contradict, stateOf, shows, reset, copy, timelineOf, sumOfList };
};
