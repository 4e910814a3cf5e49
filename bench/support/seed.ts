import { randomBytes } from 'node:crypto';
import { parsePayoutDetails } from '../../src/domains/affiliates/payout-details.steps.ts';
import { COMPLETED_PAYOUTS, optOut } from '../../src/domains/notifications/opt-outs.steps.ts';
import { mailboxDigest } from '../../src/domains/notifications/recipient-digest.steps.ts';
import type { Runtime } from '../../src/runtime.ts';
import type { PgPool } from './pg.ts';

const run = async <Row>(database: PgPool, text: string, values: readonly unknown[]): Promise<Row[]> =>
  (await database.query<Row>({ name: '', text, values })).rows;

export const seedProgram = async (runtime: Runtime, database: PgPool, merchantId: string): Promise<string> => {
  const id = runtime.ids.next();
  await run(
    database,
    `insert into program (id, merchant_id, name, slug, status, marketplace_status, application_access, commission_type,
      commission_percent, commission_hold_days, cookie_duration, payout_threshold, payout_frequency, currency,
      auto_approve_affiliates, allowed_landing_pages, allow_custom_destinations, created_at, updated_at)
    values ($1, $2, 'Bench', $3, 'active', 'private', 'open', 'recurring', 20, 0, 30, 1000, 'monthly', 'usd', true,
      '[]'::jsonb, false, now(), now())`,
    [id, merchantId, `bench-${id}`],
  );
  return id;
};

/** Payable to each affiliate, in minor units. */
const COMMISSION = 2_000;
const BATCH = 5_000;

/** Creates affiliates with one approved, payable commission each, paid by PayPal at an address that the sandbox pays. */
export const seedMembers = async (
  runtime: Runtime,
  database: PgPool,
  member: { merchantId: string; programId: string; count: number },
): Promise<string[]> => {
  const ids: string[] = [];
  while (ids.length < member.count)
    ids.push(...(await seedBatch(runtime, database, { ...member, count: Math.min(BATCH, member.count - ids.length) })));
  await run(database, 'analyze', []);
  return ids;
};

const seedBatch = async (
  { ids, cipher }: Runtime,
  database: PgPool,
  { merchantId, programId, count }: { merchantId: string; programId: string; count: number },
): Promise<string[]> => {
  const members = Array.from({ length: count }, () => {
    const name = randomBytes(8).toString('hex');
    const profile = ids.next();
    const details = parsePayoutDetails({ paypalEmail: `ok+${name}@example.com` });
    const context = { table: 'affiliate_profile', column: 'payout_details', row: profile };
    return {
      name,
      profile,
      affiliate: ids.next(),
      sale: ids.next(),
      conversion: ids.next(),
      booking: ids.next(),
      ciphertext: cipher.encrypt(JSON.stringify(details), context),
    };
  });
  const input = `(select * from jsonb_to_recordset($1::jsonb)
    as m (name text, profile uuid, affiliate uuid, sale uuid, conversion uuid, booking uuid, ciphertext text)) as m`;
  await run(
    database,
    `with profiles as (
      insert into affiliate_profile (id, user_id, email, name, payout_method, payout_details, created_at, updated_at)
      select profile, profile, name || '@example.com', name, 'paypal', ciphertext, now(), now() from ${input}),
    affiliates as (
      insert into affiliate (id, profile_id, program_id, merchant_id, code, status, source, created_at, updated_at)
      select affiliate, profile, $3, $2, name, 'approved', 'api', now(), now() from ${input}),
    sales as (
      insert into sale (id, merchant_id, program_id, provider, external_id, payload_hash, amount, currency, customer_id, affiliate_id, method, occurred_at, created_at)
      select sale, $2, $3, 'events', name, name, 10000, 'usd', name, affiliate, 'metadata', now(), now() from ${input}),
    conversions as (
      insert into conversion (id, sale_id, merchant_id, program_id, affiliate_id, amount, commission, commission_percent, currency,
        status, method, screened_at, release_at, approved_at, created_at, updated_at)
      select conversion, sale, $2, $3, affiliate, 10000, ${COMMISSION}, 20, 'usd', 'approved', 'metadata', now(), now(), now(),
        now() - random() * interval '90 days', now() from ${input}),
    balances as (
      insert into ledger_balance (affiliate_id, program_id, merchant_id, currency, payable)
      select affiliate, $3, $2, 'usd', ${COMMISSION} from ${input})
    insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
    select booking, 'approval', line.account, case line.account when 'payable' then affiliate else $3 end, $3, $2, 'usd',
      line.amount, conversion, current_date, now()
    from ${input}, (values ('merchant_expense', -${COMMISSION}), ('payable', ${COMMISSION})) as line (account, amount)`,
    [JSON.stringify(members), merchantId, programId],
  );
  return members.map((member) => member.affiliate);
};

/** The affiliates get no mails about completed payouts. */
export const muteCompletedPayouts = async (runtime: Runtime, database: PgPool, members: readonly string[]): Promise<void> => {
  const owners = 'select p.email from affiliate a join affiliate_profile p on p.id = a.profile_id where a.id = any($1)';
  const ctx = runtime.context({ kind: 'system', name: 'bench' });
  for (const { email } of await run<{ email: string }>(database, owners, [members]))
    await optOut(ctx, { recipientDigest: mailboxDigest(ctx, email), programId: COMPLETED_PAYOUTS });
};
