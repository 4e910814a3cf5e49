import type { RailFacts } from '../../../src/contracts/rails.ts';
import { sendPayout } from '../../../src/domains/payouts/index.ts';
import { storeRailAccount } from '../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import type { Context } from '../../../src/platform/context.ts';
import { makeMerchant } from '../factories.ts';
import { payByRail, type RailApi, type RailPayout, rowsOf } from '../rail-payouts.ts';
import { FAKE_ACCOUNT, FAKE_ENTRY, FAKE_FACTS, fakeAccountRail } from './fake-account-rail.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { registerRail } from './register.ts';

export interface FakeRail {
  provider: FakeProvider;
  /** A merchant with an account at the provider. */
  merchant(): Promise<FakeMerchant>;
}

export interface FakeMerchant {
  merchantId: string;
  key: string;
  /** Its id at the provider. */
  client: string;
  accountId: string;
  store(clientId: string): Promise<string>;
  /** A payout that is paid from the account, not started yet; to an address that begins like this. */
  pay(to?: string): Promise<RailPayout>;
  /** As a payout that was sent. */
  sent(to?: string): Promise<RailPayout>;
}

/** Registers the fake account rail, with its provider, for one file. */
export const useFakeRail = (api: RailApi, facts: Partial<RailFacts> = {}): FakeRail => {
  let provider: FakeProvider;
  let unregister: () => void;
  let clients = 0;
  beforeAll(async () => {
    provider = await startFakeProvider();
    unregister = registerRail(fakeAccountRail, { ...FAKE_ENTRY, facts: { ...FAKE_FACTS, ...facts } });
    await rowsOf(api, 'insert into rail (name) values (?)', [FAKE_ACCOUNT]);
  });
  afterAll(async () => {
    unregister();
    await provider.close();
  });
  const ctx = (): Context => api.runtime.context({ kind: 'system', name: 'test' });
  return {
    get provider() {
      return provider;
    },
    async merchant() {
      const merchant = await makeMerchant(api.runtime);
      const { merchantId, key } = merchant;
      const store = (clientId: string) =>
        storeRailAccount(ctx(), { merchantId, rail: FAKE_ACCOUNT, account: provider.accountOf(clientId) });
      const client = `client${++clients}`;
      const accountId = await store(client);
      const pay = async (to?: string): Promise<RailPayout> => {
        const payout = await payByRail(api, { merchant, amount: 6_000, ...(to === undefined ? {} : { local: to }) });
        await rowsOf(api, 'update payout set rail = ? where id = ?', [FAKE_ACCOUNT, payout.payoutId]);
        return payout;
      };
      const sent = async (to?: string): Promise<RailPayout> => {
        const payout = await pay(to);
        await sendPayout(ctx(), api.runtime.rails, { payoutId: payout.payoutId });
        return payout;
      };
      return { merchantId, key, client, accountId, store, pay, sent };
    },
  };
};
