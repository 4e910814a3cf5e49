import { randomUUID } from 'node:crypto';
import { createAdjustment } from '../../../src/domains/conversions/use-cases/create-adjustment.ts';
import type { Context } from '../../../src/platform/context.ts';
import { anyAddress, type TestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';

/** The month that is `distance` months from the current one in UTC, such as "2026-03". */
export const month = (distance: number): string => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + distance, 1)).toISOString().slice(0, 7);
};

/** The file of a signed URL. */
export const downloadJournal = async (api: TestApi, key: string, query: Record<string, string> = {}) => {
  const { status, data, text } = await api.call('GET', '/ledger/export', { key, query });
  if (status !== 200) throw new Error(text);
  const { pathname, search } = new URL(data.url);
  const file = await api.app.inject({ method: 'GET', url: pathname + search, remoteAddress: anyAddress() });
  return { ...file, lines: file.body.trimEnd().split('\r\n') };
};

/** What the merchant's key does at a time. */
const contextOf = (api: TestApi, { merchantId, keyId }: { merchantId: string; keyId: string }, at: string): Context => ({
  ...api.runtime.context({ kind: 'key', keyId, keyType: 'merchant', ownerId: merchantId, scopes: [] }),
  clock: { now: () => new Date(at) },
});

/** An entry in the middle of a month. */
export const bookIn = (api: TestApi, period: string, of: { merchantId: string; affiliateId: string }) =>
  createAdjustment(contextOf(api, { ...of, keyId: randomUUID() }, `${period}-10T12:00:00.000Z`), {
    affiliateId: of.affiliateId,
    amount: 1_000,
    kind: 'bonus',
    note: 'Test',
  });

/** A merchant with a program and an affiliate, and entries that are posted at any time. */
export const makeBooks = async (api: TestApi) => {
  const merchant = await makeMerchant(api.runtime);
  const program = await makeProgram(api, merchant.key);
  const affiliate = await makeAffiliate(api.runtime, program.programId);
  const { merchantId, keyId, key } = merchant;
  const contextAt = (at: string): Context => contextOf(api, { merchantId, keyId }, at);
  /** Two entries: from `merchant_expense` to `payable`. */
  const post = (at: string, amount: number, ctx = contextAt(at)) => {
    const kind = amount < 0 ? ('clawback' as const) : ('bonus' as const);
    return createAdjustment(ctx, { affiliateId: affiliate.affiliateId, amount, kind, note: 'Test' });
  };
  const close = (period: string) => api.call('POST', `/ledger/periods/${period}/close`, { key });
  const fileOf = async (period: string) => (await downloadJournal(api, key, { from: period, to: period })).body;
  return { ...merchant, ...program, program, ...affiliate, contextAt, post, close, fileOf, month };
};
