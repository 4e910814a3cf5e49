import type { TestApi } from '../../support/api.ts';
import { makeAffiliate, makePayable, type makeProgram, sendSale } from '../../support/factories.ts';

export interface Member {
  affiliateId: string;
  profileId: string;
  code: string;
}

type Program = Awaited<ReturnType<typeof makeProgram>>;

/** An affiliate with 20 % of a sale, payable. */
export const addMember = async (api: TestApi, program: Program, amount = 10_000, local?: null): Promise<Member> => {
  const member = await makeAffiliate(api.runtime, program.programId, local);
  await sendSale(api, program, { amount, referralCode: member.code });
  return member;
};

/** A merchant with affiliates to whom 20.00 is payable each, and calls of the merchant about runs. */
export const makePayees = async (api: TestApi, count: number) => {
  const first = await makePayable(api);
  const { key, program } = first;
  const members: Member[] = [first];
  while (members.length < count) members.push(await addMember(api, program));
  const draft = (body: unknown = {}) => api.call('POST', '/payout-runs', { key, body });
  const act = (id: string, verb: string, body?: unknown, by = key) =>
    api.call('POST', `/payout-runs/${id}/${verb}`, { key: by, ...(body === undefined ? {} : { body }) });
  const confirm = ({ id, total, items }: { id: string; total: unknown; items: number }) => act(id, 'confirm', { total, items });
  const read = async (id: string) => (await api.call('GET', `/payout-runs/${id}`, { key })).data;
  const items = async (id: string, query: Record<string, string> = {}) =>
    (await api.call('GET', `/payout-runs/${id}/items`, { key, query: { limit: '100', ...query } })).data;
  /** Reads all items by affiliate: the reason, or null for one that is planned. */
  const reasons = async (id: string): Promise<Record<string, string | null>> =>
    Object.fromEntries(
      (await items(id)).map(({ affiliateId, reason }: { affiliateId: string; reason: string | null }) => [affiliateId, reason]),
    );
  return { ...first, members, draft, act, confirm, read, items, reasons };
};
