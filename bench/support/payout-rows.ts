import type { PgConnection } from './pg.ts';

export interface Member {
  merchant_id: string;
  program_id: string;
  affiliate_id: string;
  profile_id: string;
  conversion_id: string;
  amount: number;
}

export const MEMBERS = `select a.merchant_id, a.program_id, a.id as affiliate_id, a.profile_id, c.id as conversion_id, c.commission::float8 as amount
  from affiliate a join conversion c on c.affiliate_id = a.id where a.id = any($1::uuid[])`;

const { DETAILS = '', EVENT = '' } = process.env;

type Statement = [name: string, text: string, values: (of: Member, id: string) => unknown[]];

/** One for each table. */
const STATEMENTS: Statement[] = [
  [
    'payout',
    `insert into payout (id, merchant_id, program_id, affiliate_id, profile_id, amount, currency, status, method, rail, details, created_by,
        created_at, updated_at)
      values ($1, $2, $3, $4, $5, $6, 'usd', 'pending', 'paypal', 'manual', $7, 'anchor', $8, $8)`,
    (of, id) => [id, of.merchant_id, of.program_id, of.affiliate_id, of.profile_id, of.amount, DETAILS, new Date()],
  ],
  [
    'item',
    `insert into payout_item (payout_id, kind, subject_id, amount) values ($1, 'commission', $2, $3)`,
    (of, id) => [id, of.conversion_id, of.amount],
  ],
  ['mark', 'update conversion set included_in = $1 where id = $2', (of, id) => [id, of.conversion_id]],
  [
    'balance',
    'update ledger_balance set payable = payable - $2, in_payout = in_payout + $2 where affiliate_id = $1',
    (of) => [of.affiliate_id, of.amount],
  ],
  [
    'entries',
    `insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
      values ($1, 'payout_created', 'payable', $2, $3, $6, 'usd', -$4::bigint, $1, current_date, $5),
        ($1, 'payout_created', 'in_payout', $2, $3, $6, 'usd', $4, $1, current_date, $5)`,
    (of, id) => [id, of.affiliate_id, of.program_id, of.amount, new Date(), of.merchant_id],
  ],
  [
    'timeline',
    `insert into payout_timeline (id, payout_id, at, type, actor, to_status) values (gen_random_uuid(), $1, $2, 'created', 'anchor', 'pending')`,
    (_of, id) => [id, new Date()],
  ],
  [
    'event',
    `with subject as (insert into webhook_subject (id, sequence) values ($5, 1))
      insert into webhook_event (id, merchant_id, program_id, type, schema_version, body, occurred_at)
      values (uuidv7(), $1, $2, 'payout.created', 2, $3, $4)`,
    (of, id) => [of.merchant_id, of.program_id, Buffer.from(EVENT), new Date(), id],
  ],
  [
    'outbox',
    `insert into outbox (topic, subject_id, suffix, payload) values ('payout.start', $1, '', $2)`,
    (of, id) => [id, JSON.stringify({ ...of, payoutId: id, currency: 'usd', rail: 'manual' })],
  ],
];

/** In the caller's transaction. Returns the payout's id. */
export const insertPayoutRows = async (connection: PgConnection, member: Member): Promise<string> => {
  const id = crypto.randomUUID();
  for (const [name, text, values] of STATEMENTS) await connection.query({ name, text, values: values(member, id) });
  return id;
};
