import { Migration } from '@mikro-orm/migrations';

/** Customers as persons: one may have several ids at payment systems. */
export class Customers extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table customer (
        id uuid primary key,
        merchant_id uuid not null,
        program_id uuid not null,
        -- The one of the customer's ids that is shown. Null: the customer was joined into another one.
        external_id text,
        -- The affiliate of the most recent evidence, and since when.
        affiliate_id uuid,
        attributed_at timestamptz(3),
        -- The first sign-up, and the first payment.
        identified_at timestamptz(3),
        first_paid_at timestamptz(3),
        -- Null: only the identities are known.
        status text check (status in ('lead','customer')),
        -- False: joined of several, and what that changes about their sales isn't done yet.
        is_settled boolean not null default true,
        joined_into uuid,
        created_at timestamptz(3) not null
      );

      -- Whatever names a customer in one program: ids of payment systems, and keyed hashes of mailboxes.
      create table customer_identity (
        program_id uuid not null,
        kind text not null check (kind in ('id','mailbox')),
        value text not null,
        customer_id uuid not null,
        created_at timestamptz(3) not null,
        primary key (program_id, kind, value)
      );

      insert into customer (id, merchant_id, program_id, external_id, affiliate_id, attributed_at, identified_at, first_paid_at, status, created_at)
      select uuidv7(), p.merchant_id, p.id, known.customer_id, latest.affiliate_id, latest.attributed_at, known.identified_at, known.paid_at,
        case when known.paid_at is null then 'lead' else 'customer' end, known.created_at
      from (
        select program_id, customer_id, min(paid_at) as paid_at, min(identified_at) as identified_at, min(created_at) as created_at
        from (
          select program_id, customer_id, occurred_at as paid_at, null::timestamptz as identified_at, created_at from sale
          union all
          select program_id, customer_id, null, occurred_at, created_at from customer_identification) as named
        group by program_id, customer_id) known
      join program p on p.id = known.program_id
      left join (
        select distinct on (program_id, customer_id) program_id, customer_id, affiliate_id, attributed_at
        from (
          select program_id, customer_id, matched_affiliate_id as affiliate_id, attributed_at, id from sale where attributed_at is not null
          union all
          select program_id, customer_id, affiliate_id, attributed_at, id from customer_identification) evidence
        order by program_id, customer_id, attributed_at desc, id desc) latest
        on latest.program_id = known.program_id and latest.customer_id = known.customer_id
      -- Ids follow the age: customers are joined into the oldest.
      order by known.created_at, known.program_id, known.customer_id;

      insert into customer_identity (program_id, kind, value, customer_id, created_at)
      select program_id, 'id', external_id, id, created_at from customer;

      -- Customers who share a mailbox are not joined by this update: the mailbox is the first one's, until a payment names it again.
      insert into customer_identity (program_id, kind, value, customer_id, created_at)
      select distinct on (s.program_id, s.customer_canonical_digest) s.program_id, 'mailbox', s.customer_canonical_digest, i.customer_id, s.created_at
      from sale s join customer_identity i on i.program_id = s.program_id and i.kind = 'id' and i.value = s.customer_id
      where s.customer_canonical_digest is not null
      order by s.program_id, s.customer_canonical_digest, s.created_at, s.id;

      insert into row_counter (relation, merchant_id, program_id, status, shard, amount)
      select 'customer', merchant_id, place, status, 0, count(*)
      from customer, unnest(array['00000000-0000-0000-0000-000000000000', program_id]) as place
      group by merchant_id, place, status;

      create index customer_of_merchant on customer (merchant_id, created_at desc, id desc) where status is not null;
      create index customer_by_status on customer (merchant_id, status, created_at desc, id desc) where status is not null;
      create index customer_of_program on customer (program_id, created_at desc, id desc) where status is not null;
      create index customer_of_affiliate on customer (affiliate_id, created_at desc, id desc) where status is not null;
      create index customer_identified on customer (program_id, identified_at) where identified_at is not null and affiliate_id is not null;
      create index customer_first_paid on customer (program_id, first_paid_at) where first_paid_at is not null and affiliate_id is not null;
      create index customer_unsettled on customer (id) where not is_settled;
      create index customer_identity_of on customer_identity (customer_id, kind);
      -- An erasure looks for a person in all programs, however their id was written.
      create index customer_identity_by_value on customer_identity (lower(value));

      -- Last: its lock holds up everybody until the end of the transaction.
      alter table program add column join_customers_by_email boolean not null default true;
    `);
  }

  override async down(): Promise<void> {
    throw new Error('Which customers are one person would be lost: restore a backup instead');
  }
}
