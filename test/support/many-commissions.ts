import { runSql } from '../../src/local/stack/sql.ts';
import type { TestApi } from './api.ts';
import { type makePayable, unique } from './factories.ts';

type Payable = Awaited<ReturnType<typeof makePayable>>;

/** The database of the API, as the role that owns the server. */
export const ownerUrlOf = ({ runtime }: Pick<TestApi, 'runtime'>): string =>
  Object.assign(new URL(process.env['TEST_DATABASE_ADMIN_URL'] ?? ''), {
    pathname: new URL(runtime.config.DATABASE_URL).pathname,
  }).href;

/** Adds approved commissions of one minor unit each, with their sales and ledger entries, without the work of triggers. */
export const addCommissions = async (api: TestApi, to: Payable, count: number): Promise<void> => {
  const prefix = unique();
  await runSql(
    ownerUrlOf(api),
    'begin',
    `set local session_replication_role = 'replica'`,
    `with made as (select uuidv7() as id, uuidv7() as sale_id, n from generate_series(1, ${count}) as n),
      sales as (insert into sale
        (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id, affiliate_id, method, occurred_at, created_at)
        select sale_id, '${to.merchantId}', '${to.programId}', 'events', '${prefix}' || n, '', 5, 'usd', '${prefix}' || n, '${to.affiliateId}', 'metadata',
          now(), now() from made)
      insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, commission, commission_percent, currency,
        status, method, screened_at, release_at, approved_at, created_at, updated_at)
      select id, sale_id, '${to.merchantId}', '${to.programId}', '${to.affiliateId}', 5, 1, 20, 'usd', 'approved', 'metadata',
        now(), now(), now(), now(), now() from made order by n`,
    `with transaction as (select uuidv7() as id)
      insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
      select t.id, 'conversion', account, owner::uuid, '${to.programId}', '${to.merchantId}', 'usd', amount, t.id, current_date, now()
      from transaction t, (values ('merchant_expense', '${to.programId}', -${count}), ('payable', '${to.affiliateId}', ${count}))
        as line (account, owner, amount)`,
    `update ledger_balance set payable = payable + ${count} where affiliate_id = '${to.affiliateId}'`,
    'commit',
  );
};
