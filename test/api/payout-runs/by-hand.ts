import type { TestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram, sendSale } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';

type Report = Record<string, unknown> & { items: { payoutId: string | null; result: string; reason: string | null }[] };

/** A running run of manual payouts of 20.00 each, none of them started. */
export const makeManualRun = async (api: TestApi, count = 2) => {
  const merchant = await makeMerchant(api.runtime);
  const { key, merchantId } = merchant;
  const program = await makeProgram(api, key);
  const payoutIds: string[] = [];
  for (let n = 0; n < count; n++) {
    const { affiliateId, code } = await makeAffiliate(api.runtime, program.programId, { holder: `=Ada ${n}` });
    await sendSale(api, program, { referralCode: code });
    const body = { affiliateId, programId: program.programId };
    payoutIds.push((await api.call('POST', '/payouts', { key, body })).data.id);
  }
  const runId = api.runtime.ids.next();
  await rowsOf(
    api,
    `insert into payout_run (id, merchant_id, status, total, items, as_of, created_by, created_at, updated_at)
     values (?, ?, 'running', '{}', 0, now(), 'key:test', now(), now())`,
    [runId, merchantId],
  );
  await rowsOf(api, 'update payout set payout_run_id = ? where id = any(?::uuid[])', [runId, `{${payoutIds.join()}}`]);
  const act = (verb: string, body?: unknown, as = key) =>
    api.call('POST', `/payout-runs/${runId}/${verb}`, { key: as, ...(body === undefined ? {} : { body }) });
  const file = (format = 'csv', as = key, more: Record<string, string> = {}) =>
    api.call('GET', `/payout-runs/${runId}/file`, { key: as, query: { format, ...more } });
  const read = async () => (await api.call('GET', `/payout-runs/${runId}`, { key })).data;
  const statuses = async () =>
    (await rowsOf(api, 'select status from payout where payout_run_id = ? order by created_at, id', [runId])).map(
      ({ status }) => status,
    );
  const pause = () => rowsOf(api, `update payout_run set status = 'paused', paused_at = now() where id = ?`, [runId]);
  const timeline = async (payoutId: string) =>
    (await rowsOf(api, 'select type from payout_timeline where payout_id = ? order by seq', [payoutId])).map(({ type }) => type);
  return { ...merchant, program, runId, payoutIds, act, file, read, statuses, pause, timeline };
};

export const resultsOf = ({ items }: Report): string[] =>
  items.map(({ result, reason }) => [result, reason].filter(Boolean).join(' ')).sort();
