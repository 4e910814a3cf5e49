import { z } from 'zod';
import type { AccountCheck, RailAccount, RailDefinition, RailTools } from '../../../src/domains/payouts/rails/rail.ts';
import { storeRailAccount } from '../../../src/domains/payouts/rails/rail-accounts.steps.ts';
import type { TestApi } from '../api.ts';
import { rowsOf } from '../rail-payouts.ts';
import { FAKE_ACCOUNT, FAKE_ENTRY, fakeAccountRail } from './fake-account-rail.ts';
import { registerRail } from './register.ts';

/** What the provider says to a check; by default that the account can pay. */
export type ScriptedCheck = (account: RailAccount, tools: RailTools) => AccountCheck | null | Promise<AccountCheck | null>;

export const ready: AccountCheck = { findings: [], balances: { usd: 500_00 } };
export const refused: AccountCheck = { findings: [{ name: 'credentials', isWarning: false }], balances: null };

/** The fake account rail, whose provider says to checks what the test says. */
export const scriptChecks = () => {
  let script: ScriptedCheck = () => ready;
  const definition: RailDefinition = {
    ...fakeAccountRail,
    name: FAKE_ACCOUNT,
    accountSchema: z.object({
      url: z.url().max(200),
      clientId: z.string().min(1).max(50),
      clientSecret: z.string().min(1).max(100),
      itemLimit: z.int().min(1).max(1_000).optional(),
      webhookId: z.string().max(100).optional(),
      webhookSecret: z.string().max(100).optional(),
    }),
    identityOf: ({ clientId }) => String(clientId),
    learned: ['webhookId', 'webhookSecret'],
    form: [
      { name: 'url', label: 'Address', hint: null, kind: 'text', isRequired: true },
      { name: 'clientId', label: 'Client ID', hint: 'Of your app', kind: 'text', isRequired: true, isMasked: true },
      { name: 'clientSecret', label: 'Secret', hint: null, kind: 'secret', isRequired: true },
      { name: 'itemLimit', label: 'Largest payment', hint: null, kind: 'number', isRequired: false },
    ],
    open: (account, tools) => ({
      ...fakeAccountRail.open(account as Parameters<typeof fakeAccountRail.open>[0], tools),
      check: async () => script(account, tools),
    }),
  };
  const says = (next: ScriptedCheck): void => {
    script = next;
  };
  return { definition, says };
};

/** Registers a rail of merchants' accounts in this process and the database of the file's API, which is that of the owner of the tables. */
export const useAccountRail = (api: TestApi, definition: RailDefinition): void => {
  let unregister = () => {};
  beforeAll(async () => {
    unregister = registerRail(definition, FAKE_ENTRY);
    await rowsOf(api, 'insert into rail (name) values (?)', [FAKE_ACCOUNT]);
  });
  afterAll(() => unregister());
};

/** An account of a merchant that was never checked. */
export const storeAccount = (api: TestApi, merchantId: string, account: RailAccount): Promise<string> =>
  storeRailAccount(api.runtime.context({ kind: 'system', name: 'test' }), { merchantId, rail: FAKE_ACCOUNT, account });
