import { randomInt } from 'node:crypto';
import { storeRailAccount } from '../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import { BankDouble, type BankMessage, type BankSettings } from '../../../src/local/bank-double/bank.ts';
import type { Context } from '../../../src/platform/context.ts';
import type { TestApi } from '../../support/api.ts';
import { makeMerchant, makePayable, type TestMerchant } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { DEBTOR_IBAN } from '../../support/rails/sepa-bank.ts';

/** A Monday on which banks settle. */
export const DAY = '2026-11-30';

const BANK_CODE = '37040044';

/** Pays from an account of its own: three refusals of one account would pause it for every test that shares the database. */
const nextIban = (): string => {
  const number = `${BANK_CODE}${String(randomInt(10 ** 10)).padStart(10, '0')}`;
  // The country as numbers, and two digits to be found.
  const check = 98n - (BigInt(`${number}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${number}`;
};

/** Payouts of 20.00 EUR to accounts of these holders, which wait for a bank file of their merchant. */
export const makeBankPayouts = async (
  api: TestApi,
  holders: readonly string[],
  { account = {}, bank: settings = {}, merchant: given }: { account?: object; bank?: BankSettings; merchant?: TestMerchant } = {},
) => {
  const merchant = given ?? (await makeMerchant(api.runtime));
  const { key, merchantId } = merchant;
  const base = api.runtime.context({ kind: 'system', name: 'test' });
  const ctx = { ...base, em: base.em.fork() as Context['em'] };
  const debtor = { debtorName: 'Northwind GmbH', debtorIban: DEBTOR_IBAN, ...account };
  await storeRailAccount(ctx, { merchantId, rail: 'sepa', account: debtor });
  const payoutIds: string[] = [];
  for (const holder of holders) {
    const payee = { merchant, local: { holder, iban: nextIban() }, program: { currency: 'eur' } };
    const { affiliateId, programId } = await makePayable(api, payee);
    const created = await api.call('POST', '/payouts', { key, body: { affiliateId, programId } });
    if (created.status !== 201) throw new Error(`no payout: ${created.text}`);
    payoutIds.push(created.data.id);
  }
  await rowsOf(api, `update payout set rail = 'sepa' where id = any(?::uuid[])`, [`{${payoutIds.join(',')}}`]);
  const bank = new BankDouble(() => new Date(), settings);
  const call = (method: 'DELETE' | 'GET' | 'POST', path: string, body?: unknown, by = key) =>
    api.call(method, path, { key: by, body });
  const make = (body: object = {}) => call('POST', '/bank-files', body);
  const content = async (id: string) => (await call('GET', `/bank-files/${id}/content`)).data.content as string;
  const importBytes = (message: BankMessage) =>
    call('POST', '/bank-files/statements', { content: message.bytes.toString('utf8') });
  const importAll = async (messages: readonly BankMessage[]) => {
    for (const message of messages) await importBytes(message);
  };
  const read = async (id: string) => (await call('GET', `/payouts/${id}`)).data;
  const states = async () => Promise.all(payoutIds.map(async (id) => (await read(id)).situation.state as string));
  const timeline = async (id: string): Promise<string[]> =>
    (await rowsOf(api, 'select type from payout_timeline where payout_id = ? order by at, id', [id])).map(({ type }) => type);
  /** Makes the one file and brings it to the bank, which answers. */
  const makeAndSend = async (body: object = {}) => {
    const file = (await make(body)).data.files[0];
    const answers = bank.receive(Buffer.from(await content(file.id)));
    return { file, answers };
  };
  return { merchantId, key, payoutIds, bank, call, make, content, importBytes, importAll, read, states, timeline, makeAndSend };
};
