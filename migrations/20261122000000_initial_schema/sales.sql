create table sale (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null,
  provider text not null,
  external_id text not null,
  payload_hash text not null,
  amount bigint not null check (amount > 0),
  -- What the customer was charged, with tax. Null: the amount.
  charged_gross bigint check (charged_gross > 0),
  refunded bigint not null default 0 check (refunded between 0 and amount),
  currency text not null,
  customer_id text not null,
  customer_email_digest text,
  -- The same for all spellings of one mailbox.
  customer_canonical_digest text,
  customer_email_domain text,
  subscription_id text,
  stripe_session_id text,
  metadata jsonb,
  affiliate_id uuid,
  method text check (method in ('cookie','coupon','metadata')),
  -- The affiliate that the sale points to, credited or not: later payments of the customer follow it.
  matched_affiliate_id uuid,
  matched_method text check (matched_method in ('cookie','coupon','metadata')),
  -- Since when the sale's own evidence attributes its customer. Null without own evidence.
  attributed_at timestamptz(3),
  evidence jsonb,
  reason text check (reason in ('NO_MATCH','PROGRAM_INACTIVE','AFFILIATE_BLOCKED','AFFILIATE_ERASED','BEFORE_AFFILIATE_JOINED','NOT_FIRST_PAYMENT',
    'LIMIT_REACHED','FIRST_PAYMENT_SETTLED','PROGRAM_UNKNOWN','OTHER_CURRENCY')),
  -- Since when a dispute is open.
  disputed_at timestamptz(3),
  occurred_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  unique (program_id, provider, external_id)
);
create index sale_of_merchant on sale (merchant_id, created_at desc, id desc);
create index sale_attributed on sale (merchant_id, created_at desc, id desc) where reason is null;
create index sale_unattributed on sale (merchant_id, created_at desc, id desc) where reason is not null;
create statistics sale_owners (dependencies) on merchant_id, program_id from sale;
create index sale_of_program on sale (program_id, created_at desc, id desc);
-- The most recent sale, whose currency is the main one.
create index sale_of_program_by_occurrence on sale (program_id, occurred_at desc, id desc);
create index sale_of_customer on sale (program_id, customer_id, occurred_at, id);
create index sale_matched on sale (program_id, customer_id, occurred_at, id) where matched_affiliate_id is not null;
create index sale_matched_subscription on sale (program_id, customer_id, subscription_id, occurred_at, id)
  where matched_affiliate_id is not null and subscription_id is not null;
create index sale_with_evidence on sale (program_id, customer_id, attributed_at, id) where attributed_at is not null;
-- What late evidence may still attribute.
create index sale_without_match on sale (program_id, customer_id, occurred_at, id) where reason = 'NO_MATCH';
create index sale_credited on sale (program_id, customer_id, occurred_at, id) where affiliate_id is not null;

-- Sign-ups and trials that attribute a customer before the first sale.
create table customer_identification (
  id uuid primary key,
  program_id uuid not null,
  provider text not null,
  customer_id text not null,
  customer_email_digest text,
  customer_email_domain text,
  affiliate_id uuid not null,
  method text not null check (method in ('cookie','coupon','metadata')),
  -- Sales that occurred before it earn nothing from it.
  attributed_at timestamptz(3) not null,
  evidence jsonb not null,
  payload_hash text not null,
  occurred_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  unique (program_id, customer_id, affiliate_id)
);
create index customer_identification_by_time on customer_identification (program_id, customer_id, attributed_at desc, id desc);

-- Evidence that was received before its sale.
create table sale_evidence (
  program_id uuid not null,
  provider text not null,
  external_sale_id text not null,
  evidence jsonb not null,
  created_at timestamptz(3) not null,
  primary key (program_id, provider, external_sale_id)
);

create table sale_refund (
  id uuid primary key,
  program_id uuid not null,
  provider text not null,
  external_id text not null,
  external_sale_id text not null,
  payload_hash text not null,
  amount bigint not null check (amount > 0),
  occurred_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  applied_at timestamptz(3),
  -- It waited for its sale, and proved to be dated before it.
  refused_at timestamptz(3),
  unique (program_id, provider, external_id)
);
create index sale_refund_waiting on sale_refund (program_id, provider, external_sale_id) where applied_at is null and refused_at is null;

-- The largest total that was reported as refunded, also before the sale.
create table sale_cumulative_refund (
  program_id uuid not null,
  provider text not null,
  external_sale_id text not null,
  refunded_gross bigint not null check (refunded_gross >= 0),
  charged_gross bigint check (charged_gross > 0),
  cause text not null check (cause in ('refund','dispute')),
  occurred_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (program_id, provider, external_sale_id)
);

create table sale_dispute (
  program_id uuid not null,
  provider text not null,
  dispute_id text not null,
  external_sale_id text not null,
  status text not null check (status in ('opened','lost','closed')),
  disputed_gross bigint not null check (disputed_gross >= 0),
  opened_at timestamptz(3) not null,
  closed_at timestamptz(3),
  updated_at timestamptz(3) not null,
  primary key (program_id, provider, dispute_id)
);
create index sale_dispute_of_sale on sale_dispute (program_id, provider, external_sale_id);

-- Whether a payment pays an invoice or a Checkout Session may be known later.
create table stripe_payment (
  merchant_id uuid not null,
  payment_id text not null,
  invoice_id text,
  created_at timestamptz(3) not null,
  primary key (merchant_id, payment_id)
);
create index stripe_payment_of_invoice on stripe_payment (merchant_id, invoice_id) where invoice_id is not null;

-- All refunds of a payment so far. Those in another currency than its sale's are for a person.
create table stripe_refund (
  merchant_id uuid not null,
  payment_id text not null,
  currency text not null,
  refunded bigint not null check (refunded >= 0),
  -- The event that reported them.
  event_id text not null,
  occurred_at timestamptz(3) not null,
  primary key (merchant_id, payment_id, currency)
);

create table stripe_dispute (
  merchant_id uuid not null,
  dispute_id text not null,
  payment_id text not null,
  status text not null check (status in ('opened','lost','closed')),
  amount bigint not null check (amount >= 0),
  currency text not null,
  occurred_at timestamptz(3) not null,
  primary key (merchant_id, dispute_id)
);
create index stripe_dispute_of_payment on stripe_dispute (merchant_id, payment_id);

-- What customers type for a promotion code. Payments name the code by its id.
create table stripe_promotion_code (
  merchant_id uuid not null,
  promotion_code_id text not null,
  code text not null,
  created_at timestamptz(3) not null,
  primary key (merchant_id, promotion_code_id)
);

-- Events that a person has to look at. The content of those of Stripe is at Stripe: it may name customers.
create table sale_problem (
  id uuid primary key,
  merchant_id uuid not null,
  event_id text not null,
  event_type text not null,
  object_id text,
  reason text not null check (reason in ('UNREADABLE','PAYLOAD_MISMATCH','REJECTED','BEFORE_SALE','OTHER_CURRENCY')),
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  note text,
  unique (merchant_id, event_id)
);
create index sale_problem_open on sale_problem (created_at, id) where resolved_at is null;
