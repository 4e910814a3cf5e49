import { createAffiliate } from '../../../src/domains/applications/index.ts';
import type { TestApi } from '../../support/api.ts';
import { makeAffiliateKey, makeMerchant, makeProgram, unique } from '../../support/factories.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { DEBTOR_IBAN } from '../../support/rails/sepa-bank.ts';
import { DAY, makeBankPayouts } from '../bank-files/support.ts';
import { makeOwner } from './support.ts';

/** Two files, of which the second has two payments and was downloaded, and two statements. */
export const makeBankMerchant = async (api: TestApi) => {
  const { key, payoutIds, make, content, importBytes, bank } = await makeBankPayouts(api, ['Ada A', 'Bob B', 'Cy C']);
  await make({ payoutId: payoutIds[0] });
  const fileId: string = (await make()).data.files[0].id;
  await content(fileId);
  for (const day of [DAY, '2026-12-01']) await importBytes(bank.statement(DEBTOR_IBAN, day, day));
  await rowsOf(
    api,
    `insert into bank_booking (id, merchant_id, rail_account_id, key, booked_on, direction, is_reversal, is_return, amount, currency, problem,
        created_at)
      select uuidv7(), f.merchant_id, f.rail_account_id, 'unknown-' || number, '2026-12-01', 'debit', false, false, 100, 'eur', 'unknown_payment', now()
      from bank_file f, generate_series(1, 2) number where f.id = ?`,
    [fileId],
  );
  return { key, fileId };
};

/** Somebody whom two companies pay through Stripe. */
export const makePayee = async (api: TestApi) => {
  const email = `a-${unique()}@example.com`;
  const ctx = () => api.runtime.context({ kind: 'system', name: 'test' });
  let [profileId, merchantId] = ['', ''];
  for (let n = 0; n < 2; n++) {
    const merchant = await makeMerchant(api.runtime);
    const { programId } = await makeProgram(api, merchant.key);
    merchantId = merchant.merchantId;
    ({ profileId } = await createAffiliate(ctx(), { email, name: 'Ada Test', source: 'api', programId }));
    await rowsOf(
      api,
      `with account as (insert into rail_account (id, merchant_id, rail, identity, settings, secrets, status, created_at, updated_at)
          values (uuidv7(), ?, 'stripe_connect', 'acct_0', '{}', '', 'ready', now(), now()) returning id, merchant_id)
        insert into stripe_connection (id, profile_id, merchant_id, rail_account_id, country, account_id, state, has_to_wait, ready_at,
            created_at, updated_at)
          select uuidv7(), ?, merchant_id, id, 'DE', 'acct_1', 'ready', false, now(), now(), now() from account`,
      [merchantId, profileId],
    );
  }
  return { key: await makeAffiliateKey(api.runtime, profileId), id: merchantId };
};

/** As an account is entered. */
export const BANK = { debtorName: 'Northwind GmbH', debtorIban: DEBTOR_IBAN };

/** A merchant with an account at a bank. */
export const connectBank = async (api: TestApi): Promise<{ key: string; id: string }> => {
  const { key } = await makeOwner(api, 'merchant');
  await api.call('PUT', '/merchant/rail-accounts/sepa', { key, body: BANK });
  return { key, id: 'sepa' };
};
