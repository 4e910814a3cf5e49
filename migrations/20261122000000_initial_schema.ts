import { Migration } from '@mikro-orm/migrations';

/** Tables are grouped by the domain that owns them. Times come from the writer's clock, money is bigint minor units. */
export class InitialSchema extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
create extension if not exists pg_trgm;

create table merchant (
  id uuid primary key,
  user_id uuid not null,
  company_name text not null,
  email text not null,
  logo_url text,
  timezone text not null,
  billing_tier text not null check (billing_tier in ('free','starter','growth','pro')),
  payment_status text not null check (payment_status in ('active','incomplete','past_due')),
  last_payment_failed_at timestamptz(3),
  -- A payment is overdue: the merchant is restricted from then on. The billing requirement follows from it, the tier and the revenue.
  grace_ends_at timestamptz(3),
  country text check (country ~ '^[A-Z]{2}$'),
  address_line1 text,
  address_line2 text,
  city text,
  state text,
  postal_code text,
  vat_id text,
  tax_id text,
  default_cookie_duration int not null check (default_cookie_duration between 1 and 365),
  default_payout_threshold bigint not null check (default_payout_threshold > 0),
  tracking_requires_consent boolean not null,
  tracking_param_aliases text[] not null,
  flag_review_days int not null check (flag_review_days between 1 and 90),
  flag_deadline_action text not null check (flag_deadline_action in ('keep_open','confirm','dismiss')),
  -- After a change of payout details, no payout is created to the affiliate for so many hours.
  details_cooldown_hours int not null default 0 check (details_cooldown_hours between 0 and 168),
  onboarding_completed boolean not null,
  onboarding_step int not null,
  -- Null before the first change: the defaults apply.
  notification_preferences jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index merchant_weekly_digest on merchant (id) where (notification_preferences ->> 'weeklyDigest') = 'true';

create table api_key (
  id uuid primary key,
  key_type text not null check (key_type in ('merchant','affiliate','onboarding')),
  owner_id uuid not null,
  name text not null,
  hash bytea not null unique,
  prefix text not null,
  last_four text not null,
  scopes text[] not null,
  rate_limit int check (rate_limit > 0),
  -- What an operator's limit on the creating key leaves to this one; rate_limit takes precedence.
  max_rate_limit int check (max_rate_limit > 0),
  created_by uuid,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_key_owner on api_key (owner_id, created_at desc, id desc);
create index api_key_created_by on api_key (created_by) where created_by is not null;

-- Browsers in which affiliates used their keys lately, a bounded number of each: the same keyed hash as click.browser.
create table affiliate_session (
  profile_id uuid not null,
  slot smallint not null check (slot between 0 and 19),
  browser bytea not null,
  seen_at timestamptz(3) not null,
  primary key (profile_id, slot)
);
create index affiliate_session_by_time on affiliate_session (seen_at);

create table program (
  id uuid primary key,
  merchant_id uuid not null references merchant deferrable initially deferred,
  name text not null,
  description text,
  slug text not null unique,
  website text,
  -- Host of the website without "www.": pages of it and of its subdomains may report clicks.
  website_domain text,
  landing_page_url text,
  allowed_landing_pages jsonb not null,
  allow_custom_destinations boolean not null,
  portal_slug text unique,
  status text not null check (status in ('active','paused','archived')),
  marketplace_status text not null check (marketplace_status in ('private','draft','public')),
  application_access text not null check (application_access in ('open','invite_only')),
  marketplace_category text,
  marketplace_description text,
  marketplace_logo_url text,
  commission_type text not null check (commission_type in ('one_time','recurring','recurring_limited')),
  commission_percent numeric(5,2) not null check (commission_percent between 1 and 100),
  commission_limit_months int check (commission_limit_months between 1 and 36),
  commission_hold_days int not null check (commission_hold_days between 0 and 365),
  cookie_duration int not null check (cookie_duration between 1 and 365),
  payout_threshold bigint not null check (payout_threshold between 1000 and 100000),
  payout_frequency text not null check (payout_frequency in ('weekly','monthly','quarterly')),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  auto_approve_affiliates boolean not null,
  -- Every conversion of an affiliate with the trust tier "new" waits for a person.
  review_new_affiliates boolean not null default false,
  tracking_requires_consent boolean,
  tracking_param_aliases text[],
  terms_url text,
  stripe_account_id text,
  stripe_connected_at timestamptz(3),
  -- Whether the account was connected in Stripe's live mode; null while none is connected.
  stripe_livemode boolean,
  created_by_key uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index program_of_merchant on program (merchant_id, created_at desc, id desc);
create index program_by_status on program (merchant_id, status, created_at desc, id desc);
create index program_of_website on program (website_domain) where status = 'active';

create index program_of_stripe_account on program (stripe_account_id, created_at, id) where stripe_account_id is not null;

-- The latest request to connect a program to Stripe: an earlier one ends with it.
create table stripe_connect_request (
  program_id uuid primary key references program,
  state uuid not null unique,
  key_id uuid not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);

create table program_event_secret (
  id uuid primary key,
  program_id uuid not null references program,
  ciphertext text not null,
  last_four text not null,
  created_at timestamptz(3) not null,
  -- Written at most once a minute by each process.
  last_used_at timestamptz(3),
  expires_at timestamptz(3)
);
create index program_event_secret_of_program on program_event_secret (program_id, created_at desc);

-- What Stripe signs its events with for a program whose merchant uses an account of their own.
create table stripe_signing_secret (
  program_id uuid primary key references program,
  ciphertext text not null,
  last_four text not null,
  set_by text not null,
  set_at timestamptz(3) not null
);

create table affiliate_profile (
  id uuid primary key,
  user_id uuid not null,
  email text not null,
  name text,
  payout_method text check (payout_method in ('paypal','bank_transfer')),
  payout_details text,
  -- When the owner last changed where they are paid.
  payout_details_changed_at timestamptz(3),
  -- Keyed hashes of what the details name, to find other profiles with the same.
  payout_digests text[] not null default '{}',
  -- When the data of the person was replaced.
  erased_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index affiliate_profile_email on affiliate_profile (lower(email));
create index affiliate_profile_payout_digests on affiliate_profile using gin (payout_digests);
create index affiliate_profile_erased on affiliate_profile (id) where erased_at is not null;

-- Codes of affiliates and slugs of links share one namespace, because /r/{code} names no program.
create table referral_code (
  code text primary key check (code ~ '^[a-z0-9_-]{3,50}$'),
  -- While it is reserved, no such affiliate exists.
  affiliate_id uuid not null,
  -- Null for the affiliate's own code.
  link_id uuid,
  -- From then on, somebody else may take the code. Null: it is in use, and will never be anybody else's.
  reserved_until timestamptz(3)
);

create table affiliate (
  id uuid primary key,
  profile_id uuid not null references affiliate_profile deferrable initially deferred,
  program_id uuid not null references program deferrable initially deferred,
  merchant_id uuid not null,
  code text not null,
  status text not null check (status in ('approved','blocked')),
  source text not null check (source in ('browser','api','mcp','invite','import')),
  blocked_at timestamptz(3),
  blocked_reason text,
  -- Replaces the percent of the program for later conversions.
  commission_percent numeric(5,2) check (commission_percent between 1 and 100),
  payouts_paused boolean not null default false,
  trust_tier text not null default 'new' check (trust_tier in ('new','trusted','verified')),
  -- Since when the record counts that raises the tier. Null: since the affiliate joined.
  trust_reset_at timestamptz(3),
  -- Added by the merchant, and not yet joined by the owner with a key of their own: the merchant is shown the address and what
  -- the merchant entered, and nothing of the profile is used.
  profile_hidden boolean not null default false,
  -- As the merchant entered them. The profile's take precedence once it is not hidden.
  name text,
  payout_method text check (payout_method in ('paypal','bank_transfer')),
  payout_details text,
  payout_details_changed_at timestamptz(3),
  -- Lower-case copies of what the merchant is shown, so that names sort by an index and one index answers a search.
  sort_name text not null default '',
  search_text text not null default '',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (profile_id, program_id)
);
create index affiliate_of_merchant on affiliate (merchant_id, created_at desc, id desc);
create index affiliate_by_status on affiliate (merchant_id, status, created_at desc, id desc);
create index affiliate_of_program on affiliate (program_id, created_at desc, id desc);
create index affiliate_of_program_by_status on affiliate (program_id, status, created_at desc, id desc);
create index affiliate_by_name on affiliate (merchant_id, sort_name, id);
create index affiliate_by_source on affiliate (merchant_id, source, created_at desc, id desc);
create statistics affiliate_owners (dependencies) on merchant_id, program_id from affiliate;
create index affiliate_search on affiliate using gin (search_text gin_trgm_ops);

-- What each sale changes, apart from the affiliate's own row and its many indexes. One row for each affiliate, made by a trigger.
create table affiliate_totals (
  affiliate_id uuid primary key,
  program_id uuid not null,
  merchant_id uuid not null,
  clicks bigint not null default 0,
  conversions bigint not null default 0,
  revenue bigint not null default 0,
  earnings bigint not null default 0
) with (fillfactor = 80);
create index affiliate_by_revenue on affiliate_totals (merchant_id, revenue desc, affiliate_id desc);
create index affiliate_by_clicks on affiliate_totals (merchant_id, clicks desc, affiliate_id desc);
create index affiliate_of_program_by_revenue on affiliate_totals (program_id, revenue desc, affiliate_id desc);
create index affiliate_of_program_by_clicks on affiliate_totals (program_id, clicks desc, affiliate_id desc);

-- Partitioned by month of its id, a UUID of version 7 that is also its token. Addresses and visitors are keyed hashes.
create table click (
  id uuid primary key,
  program_id uuid not null,
  affiliate_id uuid not null,
  -- Null for the affiliate's own code.
  link_id uuid,
  code text not null,
  channel text not null check (channel in ('page','redirect')),
  -- Without their queries, which may contain personal data.
  page text,
  referrer text,
  source text not null,
  campaign jsonb not null,
  visitor bytea not null,
  address bytea not null,
  -- Of address and browser. The visitor is the same without an id of its own.
  browser bytea not null,
  -- The same for repeats: visitor, code and page.
  repeat_key bytea not null
) partition by range (id);
create index click_repeated on click (repeat_key, id desc);
create index click_of_program on click (program_id, id desc);

-- Numbers of clicks, spread over shards so that clicks do not queue. They outlive the clicks.
create table click_count (
  affiliate_id uuid not null,
  day date not null,
  code text not null,
  source text not null,
  shard smallint not null,
  clicks bigint not null,
  primary key (affiliate_id, day, code, source, shard)
) with (fillfactor = 80);
create table click_total (
  affiliate_id uuid not null,
  code text not null,
  shard smallint not null,
  clicks bigint not null,
  -- Whether affiliate_totals contains it.
  added_up boolean not null default false,
  primary key (affiliate_id, code, shard)
) with (fillfactor = 80);
create index click_total_new on click_total (affiliate_id) where not added_up;

-- Clicks by the hour, and by the minute of one address: what the fraud rules compare with their limits.
create table click_hour (
  affiliate_id uuid not null,
  hour timestamptz(3) not null,
  shard smallint not null,
  clicks int not null,
  primary key (affiliate_id, hour, shard)
) with (fillfactor = 80);
create index click_hour_by_time on click_hour (hour);
create table click_minute (
  affiliate_id uuid not null,
  minute timestamptz(3) not null,
  address bytea not null,
  clicks int not null,
  primary key (affiliate_id, minute, address)
) with (fillfactor = 80);
create index click_minute_by_time on click_minute (minute);
-- Minutes in which the clicks of an affiliate were above a limit, for the screening.
create table click_alert (
  affiliate_id uuid not null,
  minute timestamptz(3) not null,
  clicks_per_minute int not null,
  clicks_per_hour int not null,
  handled_at timestamptz(3),
  primary key (affiliate_id, minute)
);
create index click_alert_by_time on click_alert (minute);

-- When and where a browser last ran the script of a program. Written at most once a minute.
create table script_sighting (
  program_id uuid primary key,
  seen_at timestamptz(3) not null,
  page text not null
);

create table ledger_entry (
  id bigint generated always as identity primary key,
  transaction_id uuid not null,
  kind text not null check (kind in ('conversion','approval','refund','rejection','adjustment','payout_created','payout_completed','payout_failed','payout_returned',
    'payout_resolved_paid','payout_resolved_not_paid')),
  account text not null check (account in ('pending','payable','in_payout','paid','merchant_expense')),
  owner_id uuid not null,
  program_id uuid not null,
  currency text not null,
  amount bigint not null check (amount <> 0),
  reference_id uuid not null,
  created_at timestamptz(3) not null
);
create index ledger_entry_of_transaction on ledger_entry (transaction_id);
create index ledger_entry_of_owner on ledger_entry (owner_id, id);
create index ledger_entry_of_reference on ledger_entry (reference_id, id);

-- Floors hold in the database: no account below zero, payable not below what open adjustments still deduct.
create table ledger_balance (
  affiliate_id uuid primary key,
  program_id uuid not null,
  merchant_id uuid not null,
  currency text not null,
  pending bigint not null default 0 check (pending >= 0),
  payable bigint not null default 0,
  in_payout bigint not null default 0 check (in_payout >= 0),
  paid bigint not null default 0 check (paid >= 0),
  open_adjustments bigint not null default 0 check (open_adjustments >= 0),
  check (payable >= -open_adjustments)
);
create index ledger_balance_owed on ledger_balance (merchant_id, affiliate_id desc) where payable > 0;
create index ledger_balance_owed_in_program on ledger_balance (program_id, affiliate_id desc) where payable > 0;

create table link (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  name text not null,
  code text not null unique references referral_code deferrable initially deferred,
  target_url text,
  is_active boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- A deleted link keeps its row: its code is never given to anybody else.
  deleted_at timestamptz(3)
);
create index link_of_affiliate on link (affiliate_id, created_at desc, id desc);

create table coupon (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  code text not null check (code ~ '^[A-Za-z0-9_-]{3,50}$'),
  expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  -- A deleted coupon still credits the sales made before.
  deleted_at timestamptz(3)
);
create unique index coupon_code on coupon (program_id, lower(code)) where deleted_at is null;

create table application (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  profile_id uuid not null references affiliate_profile deferrable initially deferred,
  -- Of the membership that an approval creates.
  affiliate_id uuid not null unique,
  status text not null check (status in ('pending','approved','declined','withdrawn','blocked')),
  source text not null check (source in ('browser','api','mcp','invite','import')),
  message text,
  note text,
  invite_id uuid,
  requested_code text,
  risk_notes text[] not null check (risk_notes <@ array['disposable_email','merchant_email_domain','duplicate_payout_details']),
  -- Name and email address in lower case, one per line.
  search_text text not null default '',
  -- Reminders that the merchant received.
  reminders int not null default 0,
  -- When the cancellation of the workflow was requested last, which has no effect.
  cancellation_ignored_at timestamptz(3),
  -- Set by a trigger.
  version int not null default 1,
  created_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  decided_at timestamptz(3),
  -- The key that decided; null when a rule or the deadline did.
  decided_by uuid,
  updated_at timestamptz(3) not null,
  check ((status = 'pending') = (decided_at is null))
);
create unique index application_pending on application (program_id, profile_id) where status = 'pending';
create index application_waiting on application (id) where status = 'pending';
create index application_of_person on application (profile_id, program_id, created_at desc, id desc);
create index application_of_profile on application (profile_id, created_at desc, id desc);
create index application_of_profile_by_status on application (profile_id, status, created_at desc, id desc);
create index application_of_merchant on application (merchant_id, created_at desc, id desc);
create index application_by_status on application (merchant_id, status, created_at desc, id desc);
create index application_by_source on application (merchant_id, source, created_at desc, id desc);
create index application_of_program on application (program_id, created_at desc, id desc);
create index application_of_program_by_status on application (program_id, status, created_at desc, id desc);
create statistics application_owners (dependencies) on merchant_id, program_id from application;
create index application_search on application using gin (search_text gin_trgm_ops);
create index coupon_by_code on coupon (program_id, lower(code), created_at desc);
create index coupon_of_program on coupon (program_id, created_at desc, id desc) where deleted_at is null;

create table invite (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  token text not null unique,
  -- Lower case. Null: whoever has the token may claim.
  email text,
  name text,
  is_public boolean not null,
  usage_limit int not null check (usage_limit between 1 and 1000),
  -- The people who claimed it.
  usage_count int not null default 0 check (usage_count between 0 and usage_limit),
  tracking_code text,
  -- For which the tracking code is reserved until somebody claims the invite.
  code_holder_id uuid,
  skip_onboarding boolean not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  check (email is null or usage_limit = 1),
  check (tracking_code is null or usage_limit = 1),
  check ((tracking_code is null) = (code_holder_id is null))
);
create index invite_usable on invite (program_id, expires_at) where usage_count < usage_limit;
create index invite_of_program on invite (program_id, created_at desc, id desc);
create index invite_of_email on invite (email) where email is not null;

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
  reason text check (reason in ('NO_MATCH','PROGRAM_INACTIVE','AFFILIATE_BLOCKED','BEFORE_AFFILIATE_JOINED','NOT_FIRST_PAYMENT',
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
  unique (program_id, provider, external_id)
);
create index sale_refund_waiting on sale_refund (program_id, provider, external_sale_id) where applied_at is null;

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

-- What Stripe reported about a payment. Whether it pays an invoice or a Checkout Session may be known later.
create table stripe_payment (
  merchant_id uuid not null,
  payment_id text not null,
  invoice_id text,
  -- All refunds so far, in minor units.
  refunded bigint not null default 0 check (refunded >= 0),
  refunded_at timestamptz(3),
  created_at timestamptz(3) not null,
  primary key (merchant_id, payment_id)
);
create index stripe_payment_of_invoice on stripe_payment (merchant_id, invoice_id) where invoice_id is not null;

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

-- Events of Stripe that a person has to look at. Their content is at Stripe: it may name customers.
create table stripe_problem (
  id uuid primary key,
  merchant_id uuid not null,
  event_id text not null,
  event_type text not null,
  object_id text,
  reason text not null check (reason in ('UNREADABLE','PAYLOAD_MISMATCH','REJECTED')),
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  note text,
  unique (merchant_id, event_id)
);
create index stripe_problem_open on stripe_problem (created_at, id) where resolved_at is null;

create table conversion (
  id uuid primary key,
  sale_id uuid not null unique references sale deferrable initially deferred,
  merchant_id uuid not null,
  program_id uuid not null,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  amount bigint not null check (amount > 0),
  refunded bigint not null default 0 check (refunded between 0 and amount),
  commission bigint not null check (commission >= 0),
  -- What refunds took back after the commission stood in a payout: commission + adjusted = what a payout carries.
  adjusted bigint not null default 0 check (adjusted >= 0),
  commission_percent numeric(5,2) not null,
  currency text not null,
  status text not null check (status in ('pending','approved','partially_refunded','rejected','refunded')),
  method text not null check (method in ('cookie','coupon','metadata')),
  stripe_session_id text,
  -- Null until the fraud rules have screened it: until then it is neither released nor paid.
  screened_at timestamptz(3),
  release_at timestamptz(3) not null,
  approved_at timestamptz(3),
  -- As of the sale: while it is set, the commission is neither released nor paid.
  disputed_at timestamptz(3),
  -- The release found it due while a flag or a block held it, and does not look at it again before one of these has ended.
  held_back boolean not null default false,
  -- The payout that has the commission as an active item. Null: in no payout, or only in payouts that failed.
  included_in uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index conversion_of_merchant on conversion (merchant_id, created_at desc, id desc);
create index conversion_by_status on conversion (merchant_id, status, created_at desc, id desc);
create index conversion_of_program on conversion (program_id, created_at desc, id desc);
create index conversion_of_affiliate on conversion (affiliate_id, created_at desc, id desc);
-- An affiliate has one program, and a program one merchant: without this, the planner takes conditions on two of them for rarer than
-- they are, and sorts what an index has in order.
create statistics conversion_owners (dependencies) on merchant_id, program_id, affiliate_id from conversion;
create index conversion_due on conversion (release_at, id)
  where approved_at is null and screened_at is not null and disputed_at is null and status in ('pending','partially_refunded') and not held_back;
create index conversion_held_back on conversion (affiliate_id, release_at, id)
  where approved_at is null and status in ('pending','partially_refunded') and held_back;
create index conversion_due_of_affiliate on conversion (affiliate_id, release_at, id)
  where approved_at is null and screened_at is not null and disputed_at is null and status in ('pending','partially_refunded');
create index conversion_approved on conversion (merchant_id, approved_at desc) where approved_at is not null;
-- What the next payout takes. It stays small however much was paid.
create index conversion_payable on conversion (affiliate_id, id)
  where approved_at is not null and included_in is null and disputed_at is null and commission + adjusted > 0;
-- Approved and held, in a payout or not.
create index conversion_held on conversion (affiliate_id, included_in) where approved_at is not null and disputed_at is not null;
-- Unpaid, and held whatever the flags say.
create index conversion_held_of_merchant on conversion (merchant_id, created_at)
  where status in ('pending','approved','partially_refunded') and included_in is null and (screened_at is null or disputed_at is not null);
create index conversion_held_in_payout on conversion (included_in) where disputed_at is not null and included_in is not null;

-- The conversions of an affiliate are screened one after the other, those of different shards at the same time.
create function screening_shard(affiliate_id uuid) returns int language sql immutable strict as $$
  select get_byte(uuid_send(affiliate_id), 15) & 15;
$$;
create index conversion_unscreened on conversion (screening_shard(affiliate_id), id) where screened_at is null;
create index click_alert_unhandled on click_alert (screening_shard(affiliate_id), affiliate_id, minute) where handled_at is null;
-- Screened conversions by the hour. Written by the screening only, so that sales do not wait for each other.
create table conversion_hour (
  affiliate_id uuid not null,
  hour timestamptz(3) not null,
  conversions int not null,
  -- Those whose sale came with a click.
  from_clicks int not null,
  primary key (affiliate_id, hour)
) with (fillfactor = 80);
create index conversion_hour_by_time on conversion_hour (hour);

-- Conversions by the time of their sale, added up. What is not added up yet is in conversion_change.
create table conversion_sum (
  merchant_id uuid not null,
  -- All zeros: the sum of all programs.
  program_id uuid not null,
  -- A day, a quarter of an hour, or all time. In UTC.
  span text not null check (span in ('all','day','quarter')),
  starts_at timestamptz(3) not null,
  currency text not null,
  status text not null check (status in ('pending','approved','partially_refunded','rejected','refunded')),
  conversions bigint not null,
  -- Less refunds, in minor units.
  revenue numeric not null,
  commission numeric not null,
  -- The part of the commission that is not approved.
  unapproved numeric not null,
  primary key (merchant_id, program_id, span, starts_at, currency, status)
) with (fillfactor = 80);
create index conversion_sum_by_time on conversion_sum (starts_at) where span = 'quarter';
-- By how much conversions changed. Each change is a row of its own, so that no sale waits for another.
create table conversion_change (
  merchant_id uuid not null,
  program_id uuid not null,
  seq bigint generated always as identity,
  -- When the conversion was created.
  created_at timestamptz(3) not null,
  currency text not null,
  status text not null check (status in ('pending','approved','partially_refunded','rejected','refunded')),
  conversions smallint not null,
  revenue numeric not null,
  commission numeric not null,
  unapproved numeric not null,
  primary key (merchant_id, program_id, seq)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_limit = 2000);

-- Of whom the release looks again at what it held back: more became due at once than the request approved.
create table held_back_affiliate (
  affiliate_id uuid primary key,
  is_due boolean not null
);
create index held_back_affiliate_due on held_back_affiliate (affiliate_id) where is_due;

create table commission_adjustment (
  id uuid primary key,
  affiliate_id uuid not null,
  -- Made for a refund after payment, for a payout that was paid although its items are in another one, or manually: then it has a kind.
  conversion_id uuid references conversion deferrable initially deferred,
  payout_id uuid,
  kind text check (kind in ('bonus','clawback','correction')),
  amount bigint not null check (amount <> 0),
  note text,
  created_by text,
  -- As conversion.included_in.
  included_in uuid,
  created_at timestamptz(3) not null,
  check (num_nonnulls(conversion_id, payout_id, kind) = 1),
  check (num_nonnulls(kind, note, created_by) in (0, 3)),
  check (case kind when 'bonus' then amount > 0 when 'clawback' then amount < 0 else true end)
);
create index commission_adjustment_payable on commission_adjustment (affiliate_id, id) where included_in is null;
create index commission_adjustment_of_payout on commission_adjustment (payout_id) where payout_id is not null;
create index commission_adjustment_manual on commission_adjustment (affiliate_id, created_at desc, id desc) where kind is not null;

create table flag (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  type text not null
    check (type in ('suspicious_activity','self_referral','high_click_frequency','conversion_anomaly','manual_review')),
  status text not null check (status in ('open','reviewed','dismissed','confirmed')),
  details jsonb,
  note text,
  conversion_count int not null default 0,
  created_at timestamptz(3) not null,
  newest_evidence_at timestamptz(3) not null,
  -- When flag_deadline_action of the merchant is applied.
  due_at timestamptz(3) not null,
  -- What was applied. Null before the deadline, and when a person was faster.
  deadline_action text check (deadline_action in ('keep_open','confirm','dismiss')),
  resolved_at timestamptz(3),
  -- The key; null for the deadline.
  resolved_by uuid,
  -- Until then linked conversions are neither released nor paid. A confirmed flag ends it when the last one is rejected.
  hold_ended_at timestamptz(3),
  reminders int not null default 0,
  -- How often its deadline was reached: evidence sets another one.
  deadlines int not null default 0,
  cancellation_ignored_at timestamptz(3),
  updated_at timestamptz(3) not null,
  version int not null default 1,
  check ((status = 'open') = (resolved_at is null)),
  check (status = 'confirmed' or (resolved_at is null) = (hold_ended_at is null)),
  check (resolved_at <= hold_ended_at)
);
create unique index flag_open on flag (affiliate_id, type) where status = 'open';
create index flag_unfinished on flag (id) where hold_ended_at is null;
create index flag_holding on flag (affiliate_id) where hold_ended_at is null;
create index flag_holding_of_merchant on flag (merchant_id) where hold_ended_at is null;
create index flag_of_merchant on flag (merchant_id, created_at desc, id desc);
create index flag_by_status on flag (merchant_id, status, created_at desc, id desc);
create index flag_by_type on flag (merchant_id, type, created_at desc, id desc);
create index flag_of_program on flag (program_id, created_at desc, id desc);
create index flag_of_affiliate on flag (affiliate_id, created_at desc, id desc);
create statistics flag_owners (dependencies) on merchant_id, program_id, affiliate_id from flag;

create table flag_conversion (
  flag_id uuid not null references flag deferrable initially deferred,
  conversion_id uuid not null references conversion deferrable initially deferred,
  primary key (flag_id, conversion_id)
);
create index flag_conversion_of_conversion on flag_conversion (conversion_id);

create table payout (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  -- As of the affiliate, which never changes it: a person's payouts in all programs are one index.
  profile_id uuid not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  status text not null check (status in ('pending','processing','completed','failed')),
  method text not null check (method in ('paypal','bank_transfer')),
  rail text not null check (rail in ('manual','sandbox')),
  -- Null after an erasure.
  details text,
  notes text,
  retry_of uuid unique references payout deferrable initially deferred,
  needs_attention boolean not null default false,
  review_reason text,
  failure_code text,
  rail_reason text,
  created_by text not null,
  created_at timestamptz(3) not null,
  processing_at timestamptz(3),
  completed_at timestamptz(3),
  failed_at timestamptz(3),
  updated_at timestamptz(3) not null,
  version int not null default 1
);
create index payout_open on payout (id) where status in ('pending','processing');
create unique index payout_in_flight on payout (affiliate_id) where status in ('pending','processing');
create index payout_of_merchant on payout (merchant_id, created_at desc, id desc);
create index payout_by_status on payout (merchant_id, status, created_at desc, id desc);
create index payout_of_program on payout (program_id, created_at desc, id desc);
create index payout_of_affiliate on payout (affiliate_id, created_at desc, id desc);
create statistics payout_owners (dependencies) on merchant_id, program_id, affiliate_id from payout;
create index payout_of_person on payout (profile_id, created_at desc, id desc);
create index payout_needing_attention on payout (merchant_id, created_at desc, id desc) where needs_attention;

create table payout_item (
  payout_id uuid not null references payout deferrable initially deferred,
  kind text not null check (kind in ('commission','adjustment')),
  subject_id uuid not null,
  amount bigint not null check (amount <> 0),
  active boolean not null default true,
  primary key (payout_id, kind, subject_id)
);
create unique index payout_item_once on payout_item (kind, subject_id) where active;

create index payout_completed on payout (merchant_id, completed_at desc) where status = 'completed';
-- For metrics: the counts of a scrape must not scan all payouts.
create index payout_ended on payout (greatest(completed_at, failed_at)) where status in ('completed','failed');

create table payout_attempt (
  id uuid primary key,
  payout_id uuid not null references payout deferrable initially deferred,
  n int not null check (n >= 1),
  rail text not null,
  idempotency_key text not null unique,
  outcome text not null check (outcome in ('created','accepted','paid','failed','unknown','returned')),
  send_count int not null default 0,
  resend_count int not null default 0 check (resend_count >= 0),
  rail_reference text,
  failure_code text,
  request jsonb,
  response jsonb,
  -- The workflow that records a returned payment was enqueued.
  return_requested_at timestamptz(3),
  first_sent_at timestamptz(3),
  last_sent_at timestamptz(3),
  resend_at timestamptz(3),
  accepted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  version int not null default 1,
  unique (payout_id, n)
);

create index payout_attempt_returning on payout_attempt (id) where return_requested_at is not null and outcome = 'paid';
-- A provider or a person reported both paid and failed for one attempt. Open until somebody resolves it.
create table payout_contradiction (
  payout_id uuid not null references payout deferrable initially deferred,
  n int not null check (n >= 1),
  attempt_id uuid not null references payout_attempt deferrable initially deferred,
  recorded text not null check (recorded in ('paid','failed')),
  reported text not null check (reported in ('accepted','paid','failed')),
  opened_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  resolution text check (resolution in ('paid','not_paid')),
  note text,
  resolved_by text,
  primary key (payout_id, n),
  check ((resolved_at is null) = (resolution is null))
);
create unique index payout_contradiction_open on payout_contradiction (payout_id) where resolved_at is null;

create table rail_notification (
  id uuid primary key,
  rail text not null,
  external_id text not null,
  -- Null while no attempt has this key.
  attempt_id uuid references payout_attempt,
  payout_id uuid,
  idempotency_key text not null,
  status text not null check (status in ('accepted','paid','failed','returned')),
  rail_reference text,
  failure_code text,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  handled_at timestamptz(3),
  effect text check (effect in ('applied','stale','repeated')),
  unique (rail, external_id)
);
create index rail_notification_pending on rail_notification (payout_id, occurred_at) where handled_at is null;
create index rail_notification_unmatched on rail_notification (idempotency_key) where attempt_id is null;

create table payout_timeline (
  id uuid primary key,
  -- The order of writing: entries of one payout are written under its lock.
  seq bigint generated always as identity,
  payout_id uuid not null,
  at timestamptz(3) not null,
  type text not null check (type in ('created','attempt_reserved','attempt_sent','send_dropped','status_checked',
    'rail_accepted','rail_paid','rail_failed','returned','affiliate_blocked','items_held','marked_paid','marked_failed','cancelled','cancellation_ignored',
    'reminder_sent','manual_review_requested','manual_review_ended','contradiction_detected','contradiction_resolved',
    'instructions_viewed','exported')),
  actor text not null,
  from_status text,
  to_status text,
  attempt int,
  outcome text check (outcome in ('accepted','paid','failed','unknown','returned','never_received')),
  rail_reference text,
  reason text,
  note text,
  reminder int,
  workflow_id text,
  run_id text
);
create index payout_timeline_of_payout on payout_timeline (payout_id, seq);

-- Look-ups that repeated the result of the timeline entry before them: timeline rows are never changed.
create table payout_status_check (
  entry_id uuid primary key references payout_timeline deferrable initially deferred,
  times int not null check (times >= 2),
  last_at timestamptz(3) not null
);

-- What pays for a merchant's tier at Stripe. Made by the first request to subscribe.
create table billing_subscription (
  merchant_id uuid primary key references merchant,
  stripe_customer_id text unique,
  stripe_subscription_id text unique,
  -- Chosen, and granted once it is paid.
  requested_tier text check (requested_tier in ('starter','growth','pro')),
  -- Where an open invoice is paid.
  payment_url text,
  -- An order that Stripe may have received and has not answered: for some minutes, it is repeated under its id before there is another.
  order_id uuid,
  order_tier text check (order_tier in ('starter','growth','pro')),
  -- What the order changes; null for an order of a subscription.
  order_subscription_id text,
  order_item_id text,
  -- Nothing of it is on its way long after this time.
  ordered_at timestamptz(3),
  check ((order_id is null) = (order_tier is null)),
  check ((order_id is null) = (ordered_at is null)),
  check ((order_subscription_id is null) = (order_item_id is null)),
  check (order_id is not null or order_subscription_id is null),
  -- Increased by every change: what was read from Stripe before a change is not applied after it.
  version int not null default 0,
  -- Until then, the request with this id is the only one that talks to Stripe for the merchant.
  request_id uuid,
  requested_until timestamptz(3)
);

create table outbox (
  seq bigint generated always as identity primary key,
  topic text not null,
  priority smallint not null default 0,
  subject_id uuid not null,
  -- Null: the row is unique to no key, and any number of equal ones may wait.
  suffix text default '',
  payload jsonb not null,
  reconciled boolean not null default false,
  trace_parent text,
  created_at timestamptz(3) not null default now(),
  not_before timestamptz(3) not null default now(),
  next_attempt_at timestamptz(3) not null default now(),
  lease_expires_at timestamptz(3),
  lease_id uuid,
  attempts int not null default 0,
  failures int not null default 0,
  failed_at timestamptz(3),
  last_error text,
  unique (topic, subject_id, suffix)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_limit = 2000);
create index outbox_due on outbox (priority, next_attempt_at, seq);

-- Wakes the workflow that screens the conversions of an affiliate. Rows become due twice a second, so that one call serves many.
create function wake_screening(affiliate_id uuid) returns void language sql as $$
  insert into outbox (topic, priority, subject_id, suffix, payload, not_before, next_attempt_at)
  select 'screening.wake', 1, ('00000000-0000-0000-0000-0000000000' || lpad(to_hex(shard), 2, '0'))::uuid, null,
    jsonb_build_object('shard', shard), due, due
  from (select screening_shard(affiliate_id) as shard, to_timestamp(ceil(extract(epoch from now()) * 2) / 2) as due) as target;
$$;

create table idempotency_record (
  id bytea primary key,
  fingerprint bytea not null,
  status int not null,
  body text not null,
  encrypted boolean not null,
  created_at timestamptz(3) not null
);
create index idempotency_record_age on idempotency_record (created_at);
-- Few responses have secrets, and their ids are in no order.
create index idempotency_record_encrypted on idempotency_record (id) where encrypted;

create table marketing_resource (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  kind text not null check (kind in ('collection','file','social_post','swipe_copy','external_link')),
  status text not null check (status in ('draft','published','archived')),
  title text not null,
  description text,
  body text,
  instructions text,
  platforms text[] not null check (platforms <@ array['x','linkedin','instagram','tiktok','facebook','threads','generic']),
  url text,
  -- Null: in no collection, or in one that was deleted.
  collection_id uuid references marketing_resource on delete set null deferrable initially deferred,
  published_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index marketing_resource_of_program on marketing_resource (program_id, created_at desc, id desc);
create index marketing_resource_of_collection on marketing_resource (collection_id, created_at desc, id desc)
  where collection_id is not null;

-- Every file of the storage has a row, which is written before the file and outlives it.
create table stored_file (
  -- Also the name of the file in the storage.
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null,
  -- The post that it was uploaded for. Null: a file of the program.
  resource_id uuid,
  mime_type text not null,
  byte_size bigint not null check (byte_size > 0),
  status text not null check (status in ('expected','receiving','received','in_use','discarded')),
  -- Of the request that is sending the file: an earlier one cannot complete it.
  receipt_id uuid,
  -- Until when it may be sent and used. Null: it is in use or was discarded.
  expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index stored_file_of_merchant on stored_file (merchant_id) include (byte_size, status) where status <> 'discarded';
create index stored_file_expiring on stored_file (expires_at) where expires_at is not null;
create index stored_file_discarded on stored_file (id) where status = 'discarded';

-- What a post shows, in the order of sort_order, and the one file of a file.
create table resource_media (
  id uuid primary key,
  resource_id uuid not null references marketing_resource on delete cascade deferrable initially deferred,
  file_id uuid not null unique references stored_file deferrable initially deferred,
  file_name text not null,
  alt_text text,
  sort_order int not null,
  created_at timestamptz(3) not null
);
create index resource_media_of_resource on resource_media (resource_id, sort_order, id);

create table resource_notification (
  id uuid primary key,
  merchant_id uuid not null,
  resource_id uuid not null,
  -- Affiliates are written to from the newest to the oldest: this was the last one.
  last_affiliate_at timestamptz(3) not null,
  last_affiliate_id uuid,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3)
);
create index resource_notification_of_merchant on resource_notification (merchant_id, created_at desc);
create index resource_notification_open on resource_notification (id) where finished_at is null;

-- One row for each reason and recipient. Address and text are encrypted, and removed once the mail is sent.
create table mail (
  id uuid primary key,
  kind text not null check (kind in ('merchant_activity','weekly_digest','application_waiting','application_reminder','flag_opened',
    'flag_reminder','flag_deadline','approval_threshold_changed','application_decided','payout_completed','payout_failed',
    'payout_details_changed','resource_announced','webhook_failing','webhook_disabled','webhook_recovered')),
  subject_id uuid not null,
  merchant_id uuid,
  recipient text,
  recipient_digest text not null,
  -- Tells apart mails of one kind about one subject.
  period text not null,
  payload text,
  -- The same on every try.
  message_id text not null unique,
  status text not null check (status in ('queued','sent','given_up')),
  tries int not null default 0,
  last_error text check (last_error in ('address_refused','message_refused','unreadable','refused_for_now','sender_refused','login_refused',
    'connection_failed','connection_lost','tls_failed','timeout','folder_not_writable','internal_error')),
  smtp_code int,
  created_at timestamptz(3) not null,
  -- Since when it is tried: later than created_at after an operator queued it again.
  queued_at timestamptz(3) not null,
  sent_at timestamptz(3),
  updated_at timestamptz(3) not null,
  unique (kind, subject_id, recipient_digest, period),
  check ((status = 'sent') = (sent_at is not null)),
  check (status <> 'queued' or num_nonnulls(recipient, payload) = 2)
);
create index mail_queued on mail (id) where status = 'queued';
create index mail_failing on mail (id) where status = 'queued' and last_error is not null;
create index mail_given_up on mail (id) where status = 'given_up';
create index mail_of_recipient on mail (recipient_digest, kind, created_at desc);

-- Until when mails about activity cover what happened.
create table mail_progress (
  name text primary key check (name in ('activity')),
  done_until timestamptz(3) not null,
  -- Of the period that begins there, once it has mails: another end would leave hours out for those who have theirs.
  period_end timestamptz(3)
);

create table webhook_endpoint (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid,
  name text not null,
  url text not null,
  status text not null check (status in ('active','disabled')),
  schema_version int not null check (schema_version = 2),
  subscribed_events text[] not null check (cardinality(subscribed_events) >= 1),
  secret_last_four text,
  disabled_reason text,
  enable_count int not null default 0,
  -- The lane that sends the first attempts.
  lane smallint not null generated always as (get_byte(uuid_send(id), 15) & 7) stored,
  -- Its parked deliveries are to be made pending again, or cancelled if it is deleted.
  releasing boolean not null default false,
  -- While the circuit breaker is open, only one attempt is made, and not before this time.
  breaker_until timestamptz(3),
  -- Attempts that failed one after the other while the breaker was open.
  breaker_failures int not null default 0,
  -- Without a success since then.
  failing_since timestamptz(3),
  -- Warnings that the merchant got since then.
  failing_warnings smallint not null default 0 check (failing_warnings between 0 and 2),
  -- Headers of the merchant, encrypted: values are secrets.
  header_ciphertext text,
  max_in_flight smallint not null default 32 check (max_in_flight between 1 and 32),
  -- No limit without it.
  rate_per_second smallint check (rate_per_second between 1 and 1000),
  rotation_overlap_hours smallint not null default 24 check (rotation_overlap_hours between 0 and 168),
  -- When the URL was changed or the endpoint enabled: warnings and disabling count from then at the earliest.
  failing_reset_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  disabled_at timestamptz(3),
  deleted_at timestamptz(3)
);
create index webhook_endpoint_releasing on webhook_endpoint (lane, id) where releasing;
create index webhook_endpoint_held on webhook_endpoint (id) where breaker_until is not null;
create index webhook_endpoint_of_merchant on webhook_endpoint (merchant_id, created_at desc, id desc) where deleted_at is null;

create table webhook_secret (
  id uuid primary key,
  endpoint_id uuid not null references webhook_endpoint deferrable initially deferred,
  ciphertext text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3)
);
create index webhook_secret_of_endpoint on webhook_secret (endpoint_id, created_at desc);

-- Events, deliveries and attempts are partitioned by month: ids are UUIDs of version 7, so a month is a range of ids. No foreign
-- keys between them: dropping a partition would have to scan the tables that refer to it.
-- One row. An event is listed at the number of its transaction: a later transaction may commit first, but what comes before the
-- oldest open transaction is complete. In another cluster, "ahead" is added to the numbers, which start again there.
create table event_order (
  cluster bigint primary key,
  ahead bigint not null
);
insert into event_order select system_identifier, 0 from pg_control_system();
create function next_event_position() returns bigint language plpgsql as $$
begin
  return pg_current_xact_id()::text::bigint + (select ahead from event_order);
end $$;

create table webhook_event (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid,
  type text not null,
  schema_version int not null,
  test boolean not null default false,
  body bytea not null check (octet_length(body) <= 262144),
  occurred_at timestamptz(3) not null,
  -- In the list of events, with the id.
  position bigint not null default next_event_position()
) partition by range (id);
create index webhook_event_of_merchant on webhook_event (merchant_id, id);
create index webhook_event_listed on webhook_event (merchant_id, position, id) where not test;

-- What events are about, and how many were recorded of each.
create table webhook_subject (
  id uuid primary key,
  sequence int not null check (sequence >= 1)
) with (fillfactor = 80);

create table webhook_delivery (
  id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  merchant_id uuid not null,
  trigger text not null default 'schedule' check (trigger in ('schedule','manual','replay','test')),
  status text not null check (status in ('pending','parked','succeeded','exhausted','cancelled')),
  lane smallint not null,
  -- Waits for an attempt by its lane; false once a workflow of its own sends it.
  in_lane boolean not null default true,
  priority smallint not null,
  -- The run that sends it on its schedule, as in its workflow id. Any other run of the delivery has been replaced.
  run_suffix text not null default '',
  auto_attempts int not null default 0,
  attempts int not null default 0,
  -- How often the reconciler started a workflow for it again.
  restart_count int not null default 0,
  -- How often a replay queued it.
  replay_count int not null default 0,
  -- How often it was resent by request, and when, while the attempt of the last request has no outcome.
  resend_count int not null default 0,
  resend_requested_at timestamptz(3),
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Starts with the id, so that a look-up by id alone probes one index per partition.
  primary key (id, event_id),
  unique (event_id, endpoint_id)
) partition by range (event_id);
create index webhook_delivery_of_endpoint on webhook_delivery (endpoint_id, created_at desc, id desc);
create index webhook_delivery_by_status on webhook_delivery (endpoint_id, status, created_at desc, id desc);
create index webhook_delivery_in_lane on webhook_delivery (lane, endpoint_id, priority, id) where status = 'pending' and in_lane;
create index webhook_delivery_open on webhook_delivery (id) where status = 'pending' and not in_lane;
create index webhook_delivery_due on webhook_delivery (next_attempt_at) where status = 'pending' and not in_lane;
create index webhook_delivery_resending on webhook_delivery (id) where resend_requested_at is not null;
create index webhook_delivery_resending_to on webhook_delivery (endpoint_id) where resend_requested_at is not null;
create index webhook_delivery_parked on webhook_delivery (event_id) where status = 'parked';

-- Events of the past that are sent to an endpoint again.
create table webhook_replay (
  id uuid primary key,
  endpoint_id uuid not null,
  merchant_id uuid not null,
  since timestamptz(3) not null,
  until timestamptz(3) not null check (until > since),
  types text[] not null check (cardinality(types) >= 1),
  statuses text[] not null check (cardinality(statuses) >= 1 and statuses <@ array['missing','exhausted','succeeded']),
  state text not null check (state in ('running','completed','cancelled')),
  cancel_reason text check (cancel_reason in ('requested','endpoint_disabled','endpoint_deleted')),
  -- The last event that was examined. Moves in the transaction that queues its delivery.
  last_event_id uuid not null,
  events_examined int not null default 0,
  deliveries_queued int not null default 0,
  -- End of the range in the list of events: only events of transactions that began to write earlier are examined.
  position bigint not null default next_event_position(),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  completed_at timestamptz(3),
  check ((state = 'running') = (completed_at is null)),
  check ((state = 'cancelled') = (cancel_reason is not null))
);
create unique index webhook_replay_running on webhook_replay (endpoint_id) where state = 'running';
create index webhook_replay_of_merchant on webhook_replay (merchant_id, created_at);
create index webhook_replay_unfinished on webhook_replay (id) where state = 'running';

-- The epoch rises when a process takes over a lane. Attempts of lower epochs that have no outcome are lost.
create table webhook_lane (
  lane smallint primary key check (lane between 0 and 7),
  epoch bigint not null default 0
);
insert into webhook_lane (lane) select generate_series(0, 7);

create table webhook_attempt (
  delivery_id uuid not null,
  n int not null,
  suffix text not null,
  -- Of an attempt that a lane made.
  lane smallint,
  trigger text not null check (trigger in ('schedule','manual','replay','test')),
  url text not null,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3),
  outcome text check (outcome in ('succeeded','failed','unknown')),
  http_status int,
  error_code text,
  remote_ip inet,
  tls text,
  ms_dns int, ms_connect int, ms_tls int, ms_ttfb int, ms_total int,
  response_headers jsonb,
  response_excerpt bytea,
  truncated boolean not null default false,
  secret_ids uuid[] not null default '{}',
  primary key (delivery_id, n)
) partition by range (delivery_id);
-- Tells cheaply whether a partition holds recent attempts.
create index webhook_attempt_started on webhook_attempt using brin (started_at);

create index webhook_attempt_in_lane on webhook_attempt (lane) where outcome is null and lane is not null;

-- What the marketplace sorts and filters by. One row for each program, made and kept by a trigger.
create table marketplace_listing (
  program_id uuid primary key,
  -- Active and public.
  is_public boolean not null,
  -- Lower case.
  category text,
  -- In hundredths of a percent.
  commission bigint not null,
  created_at timestamptz(3) not null,
  -- Refreshed by the relay role, as are the figures.
  is_ready boolean not null default false,
  -- Of the last 30 days: commission per click in ten-thousandths of the currency's unit, sales per click in hundredths of a percent.
  epc bigint not null default 0,
  conversion_rate bigint not null default 0
);
create index marketplace_by_epc on marketplace_listing (epc desc, program_id desc) where is_public and is_ready;
create index marketplace_by_conversion_rate on marketplace_listing (conversion_rate desc, program_id desc) where is_public and is_ready;
create index marketplace_by_commission on marketplace_listing (commission desc, program_id desc) where is_public and is_ready;
create index marketplace_newest on marketplace_listing (created_at desc, program_id desc) where is_public and is_ready;
-- Counts programs by any filter.
create index marketplace_filters on marketplace_listing (category, epc, commission) where is_public and is_ready;

-- When the figures of a program are computed next. Apart from them: it changes far more often.
create table marketplace_refresh (
  program_id uuid primary key,
  is_public boolean not null,
  due_at timestamptz(3) not null
) with (fillfactor = 80);
create index marketplace_refresh_due on marketplace_refresh (due_at, program_id) where is_public;

-- Sales and commissions by the day, of the last 30 days, so that a refresh reads few of them. A slot is a day modulo 30.
create table marketplace_day (
  program_id uuid not null,
  slot smallint not null check (slot between 0 and 29),
  day date not null,
  -- Those that were not fully refunded.
  sales bigint not null,
  -- Less refunds, in minor units.
  commission numeric not null,
  computed_at timestamptz(3) not null,
  primary key (program_id, slot)
) with (fillfactor = 80);

-- Which encryption keys this database was used with: a keyed digest, never the key.
create table encryption_key (
  id text primary key,
  fingerprint bytea not null,
  position bigint generated always as identity,
  created_at timestamptz(3) not null default now()
);

-- Secrets that belong to the installation as a whole, encrypted like all others.
create table installation_secret (
  name text primary key check (name in ('digest_key')),
  ciphertext text not null,
  created_at timestamptz(3) not null default now()
);

-- Totals of lists, kept in the writer's own transaction. Each connection has rows of its own, so that no writer waits for another.
create table row_counter (
  relation text not null,
  merchant_id uuid not null,
  -- All zeros: the total of all programs.
  program_id uuid not null,
  status text not null,
  shard int not null,
  amount bigint not null,
  primary key (relation, merchant_id, program_id, status, shard)
);
`);
    // Two transactions that change several counters would wait for each other in a circle. Numbers of closed connections are used
    // again: there are as many shards as connections at a time.
    this.addSql(`
create function counter_shard() returns int language plpgsql as $$
declare own text := current_setting('tributary.counter_shard', true);
begin
  if own is null or own = '' then
    own := (select n from pg_stat_get_backend_idset() as n where pg_stat_get_backend_pid(n) = pg_backend_pid());
    perform set_config('tributary.counter_shard', own, false);
  end if;
  return own;
end $$;`);
    this.addSql(`
create function count_rows() returns trigger language plpgsql as $$
declare
  own_shard int := counter_shard();
  -- The merchant's total has a row of its own: it is read without adding up those of all programs.
  places uuid[] := array['00000000-0000-0000-0000-000000000000'::uuid];
begin
  if tg_op = 'UPDATE' and new.status = old.status then return null; end if;
  if tg_table_name <> 'program' then
    if tg_op = 'INSERT' then places := places || new.program_id; else places := places || old.program_id; end if;
  end if;
  if tg_op <> 'INSERT' then
    insert into row_counter select tg_table_name, old.merchant_id, place, old.status, own_shard, -1 from unnest(places) as place
    on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount - 1;
  end if;
  if tg_op <> 'DELETE' then
    insert into row_counter select tg_table_name, new.merchant_id, place, new.status, own_shard, 1 from unnest(places) as place
    on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount + 1;
  end if;
  return null;
end $$;`);
    for (const table of ['program', 'affiliate', 'application', 'conversion', 'flag', 'payout']) {
      this.addSql(`create trigger ${table}_counted after insert or update of status or delete on ${table}
        for each row execute function count_rows();`);
    }
    this.addSql(`
create function count_sale() returns trigger language plpgsql as $$
declare
  own_shard int := counter_shard();
  places uuid[] := array['00000000-0000-0000-0000-000000000000'::uuid, new.program_id];
begin
  if tg_op = 'UPDATE' then
    if (new.reason is null) = (old.reason is null) then return null; end if;
    insert into row_counter select 'sale', old.merchant_id, place, case when old.reason is null then 'attributed' else 'unattributed' end, own_shard, -1
    from unnest(places) as place
    on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount - 1;
  end if;
  insert into row_counter select 'sale', new.merchant_id, place, case when new.reason is null then 'attributed' else 'unattributed' end, own_shard, 1
  from unnest(places) as place
  on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount + 1;
  return null;
end $$;`);
    this.addSql(`create trigger sale_counted after insert or update of reason on sale
      for each row execute function count_sale();`);
    this.addSql(`
-- Balances that are owed, for the total of pending payouts. The trigger runs only when a balance becomes or ceases to be one.
create function count_owed() returns trigger language plpgsql as $$
begin
  insert into row_counter select 'owed', new.merchant_id, place, 'owed', counter_shard(), case when new.payable > 0 then 1 else -1 end
  from unnest(array['00000000-0000-0000-0000-000000000000'::uuid, new.program_id]) as place
  on conflict (relation, merchant_id, program_id, status, shard) do update set amount = row_counter.amount + excluded.amount;
  return null;
end $$;`);
    this.addSql(`create trigger ledger_balance_owed_first after insert on ledger_balance
      for each row when (new.payable > 0) execute function count_owed();`);
    this.addSql(`create trigger ledger_balance_owed_changed after update of payable on ledger_balance
      for each row when ((old.payable > 0) <> (new.payable > 0)) execute function count_owed();`);
    this.addSql(`
create function create_affiliate_totals() returns trigger language plpgsql as $$
begin
  insert into affiliate_totals (affiliate_id, program_id, merchant_id) values (new.id, new.program_id, new.merchant_id);
  return null;
end $$;`);
    this.addSql(`create trigger affiliate_has_totals after insert on affiliate
      for each row execute function create_affiliate_totals();`);
    // Here and not in the application: no statement can forget it, and a sale has no round trip more.
    this.addSql(`
create function wake_screening() returns trigger language plpgsql as $$
begin
  perform wake_screening(new.affiliate_id);
  return null;
end $$;`);
    this.addSql(`create trigger conversion_unscreened_wakes after insert on conversion
      for each row when (new.screened_at is null) execute function wake_screening();`);
    this.addSql(`
-- sign: 1 to add the conversion to the sums, -1 to take it out of them.
create function change_conversion_sums(changed conversion, sign smallint) returns void language plpgsql as $$
begin
  insert into conversion_change (merchant_id, program_id, created_at, currency, status, conversions, revenue, commission, unapproved)
  values (changed.merchant_id, changed.program_id, changed.created_at, changed.currency, changed.status, sign,
    sign * (changed.amount - changed.refunded)::numeric, sign * changed.commission::numeric,
    case when changed.approved_at is null then sign * changed.commission::numeric else 0 end);
end $$;`);
    this.addSql(`
create function sum_conversion() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform change_conversion_sums(old, -1::smallint); end if;
  if tg_op <> 'DELETE' then perform change_conversion_sums(new, 1::smallint); end if;
  return null;
end $$;`);
    this.addSql(`create trigger conversion_summed after insert or delete on conversion
      for each row execute function sum_conversion();`);
    // Not for what changes more often and is not summed, such as the screening.
    this.addSql(`create trigger conversion_sum_changed after update on conversion
      for each row when ((old.merchant_id, old.program_id, old.created_at, old.currency, old.status, old.amount, old.refunded, old.commission,
          old.approved_at is null)
        is distinct from (new.merchant_id, new.program_id, new.created_at, new.currency, new.status, new.amount, new.refunded, new.commission,
          new.approved_at is null))
      execute function sum_conversion();`);
    this.addSql(`
create function list_program() returns trigger language plpgsql as $$
declare is_public boolean := new.status = 'active' and new.marketplace_status = 'public';
begin
  insert into marketplace_listing as l (program_id, is_public, category, commission, created_at)
  values (new.id, is_public, lower(new.marketplace_category), new.commission_percent * 100, new.created_at)
  on conflict (program_id) do update
    set is_public = excluded.is_public, category = excluded.category, commission = excluded.commission;
  insert into marketplace_refresh values (new.id, is_public, new.updated_at)
  on conflict (program_id) do update set is_public = excluded.is_public, due_at = excluded.due_at;
  return null;
end $$;`);
    this.addSql(`create trigger program_listed
      after insert or update of status, marketplace_status, marketplace_category, commission_percent, stripe_connected_at on program
      for each row execute function list_program();`);
    this.addSql(`
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% rows are never changed', tg_table_name using errcode = 'restrict_violation';
end $$;`);
    this.addSql(`create trigger ledger_entry_append_only before update or delete or truncate on ledger_entry
      for each statement execute function refuse_change();`);
    this.addSql(`
-- Called when a process migrates. The lock waits for transactions that already have a position.
create function keep_event_order() returns boolean language plpgsql as $$
declare own_cluster bigint := (select system_identifier from pg_control_system());
begin
  if exists (select from event_order where cluster = own_cluster) then return false; end if;
  lock table webhook_event, webhook_replay in share mode;
  update event_order set cluster = own_cluster, ahead = greatest(ahead,
    (select coalesce(max(position), 0) + 1 from (select position from webhook_event union all select position from webhook_replay) known)
      - pg_snapshot_xmin(pg_current_snapshot())::text::bigint);
  return true;
end $$;
revoke execute on function keep_event_order from public;
create function refuse_event_change() returns trigger language plpgsql as $$
begin
  -- Set by erase_events alone. Roles that could set it themselves have no right to update events.
  if current_setting('tributary.erasing', true) = 'on' then return new; end if;
  raise exception '% rows are never changed', tg_table_name using errcode = 'restrict_violation';
end $$;`);
    this.addSql(`create trigger webhook_event_immutable before update on webhook_event
      for each row execute function refuse_event_change();`);
    // Here and not in the application: no statement can forget it.
    this.addSql(`
create function next_version() returns trigger language plpgsql as $$
begin
  new.version = old.version + 1;
  return new;
end $$;`);
    for (const table of ['application', 'flag', 'payout', 'payout_attempt']) {
      this.addSql(`create trigger ${table}_version before update on ${table} for each row execute function next_version();`);
    }
    this.addSql(`
create function ledger_must_balance() returns trigger language plpgsql as $$
begin
  if exists (select 1 from ledger_entry where transaction_id = new.transaction_id group by currency having sum(amount) <> 0) then
    raise exception 'ledger transaction % does not sum to zero', new.transaction_id using errcode = 'check_violation';
  end if;
  return null;
end $$;`);
    this.addSql(`create constraint trigger ledger_entry_balanced after insert on ledger_entry
      deferrable initially deferred for each row execute function ledger_must_balance();`);
    // Volatile, so that the record is read with a snapshot taken after the lock was won.
    this.addSql(`
create function claim_idempotency(key bytea, oldest timestamptz)
returns table (locked boolean, fingerprint bytea, status int, body text, encrypted boolean)
language plpgsql volatile as $$
begin
  if not pg_try_advisory_xact_lock(('x' || encode(substring(key from 1 for 8), 'hex'))::bit(64)::bigint) then
    return query select false, null::bytea, null::int, null::text, null::boolean;
    return;
  end if;
  delete from idempotency_record r where r.id = key and r.created_at < oldest;
  return query select true, r.fingerprint, r.status, r.body, r.encrypted
    from (select 1) as one left join idempotency_record r on r.id = key;
end $$;`);
    this.addSql(`
create function is_host_of(host text, domain text) returns boolean language sql immutable strict as $$
  select host = domain or right(host, length(domain) + 1) = '.' || domain;
$$;

-- What a click leads to, and whether it counts: everything about a click is one statement. A null program: that of the code; a
-- null host: no page reports it. The outcome is "ok", or why nothing was stored. A repeat within 30 seconds has the id of the first.
create function record_click(given_id uuid, clicked_at timestamptz, given_program uuid, given_code text, host text, has_consent boolean,
  is_counted boolean, channel text, page text, referrer text, source text, campaign jsonb, visitor bytea, address bytea,
  browser bytea, repeat_key bytea, is_script boolean, max_per_minute int, max_per_hour int)
returns table (outcome text, click_id uuid, program_id uuid, affiliate_code text, cookie_duration int, website text,
  landing_page_url text, target_url text, allowed_landing_pages jsonb, allow_custom_destinations boolean)
language plpgsql volatile as $$
#variable_conflict use_variable
declare
  target record;
  own_day date := (clicked_at at time zone 'UTC')::date;
  own_shard smallint := pg_backend_pid() % 8;
  own_minute timestamptz := date_trunc('minute', clicked_at);
  own_hour timestamptz := date_trunc('hour', clicked_at);
  minute_clicks int;
  hour_clicks int;
begin
  select p.id, p.status, p.cookie_duration, p.website_domain, p.website, p.landing_page_url, p.allowed_landing_pages,
      p.allow_custom_destinations, l.target_url,
      coalesce(p.tracking_requires_consent, m.tracking_requires_consent) as requires_consent,
      a.id as affiliate_id, a.code as affiliate_code, a.status as affiliate_status, l.id as link_id,
      l.id is null or l.is_active and l.deleted_at is null as is_active
    into target
    from program p join merchant m on m.id = p.merchant_id
    left join referral_code r on r.code = given_code
    left join affiliate a on a.id = r.affiliate_id and a.program_id = p.id
    left join link l on l.id = r.link_id and l.affiliate_id = a.id
    where p.id = coalesce(given_program,
      (select a.program_id from referral_code r join affiliate a on a.id = r.affiliate_id where r.code = given_code));
  program_id := target.id;
  affiliate_code := target.affiliate_code;
  cookie_duration := target.cookie_duration;
  website := target.website;
  landing_page_url := target.landing_page_url;
  target_url := case when target.is_active then target.target_url end;
  allowed_landing_pages := target.allowed_landing_pages;
  allow_custom_destinations := target.allow_custom_destinations;
  outcome := case
    when target.id is null then 'NOT_FOUND'
    when host is not null and not coalesce(is_host_of(host, target.website_domain), false) then 'FOREIGN_PAGE'
    when target.affiliate_id is null then 'UNKNOWN_CODE'
    when target.status <> 'active' then 'PROGRAM_INACTIVE'
    when target.affiliate_status <> 'approved' then 'AFFILIATE_BLOCKED'
    when not target.is_active then 'LINK_INACTIVE'
    when target.requires_consent and not has_consent then 'CONSENT_REQUIRED'
    when not is_counted then 'BOT'
    else 'ok' end;
  -- A conflicting insert would lock the row even where it changes nothing.
  if is_script and outcome not in ('NOT_FOUND', 'FOREIGN_PAGE')
    and not exists (select from script_sighting s where s.program_id = target.id and s.seen_at > clicked_at - interval '1 minute') then
    insert into script_sighting as s values (target.id, clicked_at, page)
      on conflict on constraint script_sighting_pkey do update set seen_at = excluded.seen_at, page = excluded.page;
  end if;
  if outcome <> 'ok' then return next; return; end if;
  -- Repeats wait for each other; what they read afterwards is a snapshot taken under the lock.
  perform pg_advisory_xact_lock(('x' || encode(substring(repeat_key from 1 for 8), 'hex'))::bit(64)::bigint);
  select c.id into click_id from click c
    where c.repeat_key = repeat_key and c.id >= first_uuid_at(clicked_at - interval '30 seconds') order by c.id desc limit 1;
  if click_id is not null then return next; return; end if;
  click_id := given_id;
  insert into click values (given_id, target.id, target.affiliate_id, target.link_id, given_code, channel, page, referrer, source, campaign, visitor,
    address, browser, repeat_key);
  -- Anyone may invent sources: an affiliate has a bounded number of rows per day.
  if not exists (select from click_count n where n.affiliate_id = target.affiliate_id and n.day = own_day and n.code = given_code
      and n.source = source)
    and 400 <= (select count(*) from (select from click_count n
      where n.affiliate_id = target.affiliate_id and n.day = own_day limit 400) as most) then
    source := 'other';
  end if;
  insert into click_count as n values (target.affiliate_id, own_day, given_code, source, own_shard, 1)
    on conflict on constraint click_count_pkey do update set clicks = n.clicks + 1;
  insert into click_total as n values (target.affiliate_id, given_code, own_shard, 1)
    on conflict on constraint click_total_pkey do update set clicks = n.clicks + 1, added_up = false;
  insert into click_minute as n values (target.affiliate_id, own_minute, address, 1)
    on conflict on constraint click_minute_pkey do update set clicks = n.clicks + 1 returning n.clicks into minute_clicks;
  insert into click_hour as n values (target.affiliate_id, own_hour, own_shard, 1)
    on conflict on constraint click_hour_pkey do update set clicks = n.clicks + 1;
  select sum(n.clicks) into hour_clicks from click_hour n where n.affiliate_id = target.affiliate_id and n.hour = own_hour;
  if minute_clicks > max_per_minute or hour_clicks > max_per_hour then
    insert into click_alert values (target.affiliate_id, own_minute, minute_clicks, hour_clicks)
      on conflict on constraint click_alert_pkey do nothing;
    -- At most once in a minute.
    if found then perform wake_screening(target.affiliate_id); end if;
  end if;
  return next;
end $$;
`);
    this.addSql(`
-- Partitions have a schema of their own, in which the application has no rights: it reaches them through their tables.
create schema partitions;
create table partitions.webhook_event_default partition of webhook_event default;
create table partitions.webhook_delivery_default partition of webhook_delivery default;
create table partitions.webhook_attempt_default partition of webhook_attempt default;
create table partitions.click_default partition of click default;

-- No UUID of version 7 that is made at that time or later is smaller.
create function first_uuid_at(at timestamptz) returns uuid language sql immutable strict as $$
  select (substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-0000-0000-000000000000')::uuid
  from (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as hex) as time;
$$;

create function partitioned_tables() returns table (parent text, key text) language sql immutable as $$
  values ('webhook_event', 'id'), ('webhook_delivery', 'event_id'), ('webhook_attempt', 'delivery_id'), ('click', 'id');
$$;

-- Rows of the month that are in the default partition move. Readers and writers of the default partition wait meanwhile; those of
-- months do not. False: the partition exists.
create function create_partition(parent text, key text, month date) returns boolean language plpgsql as $$
declare
  name text := parent || to_char(month, '"_"YYYY"_"MM');
  lower_bound uuid := first_uuid_at(month::timestamp at time zone 'UTC');
  upper_bound uuid := first_uuid_at((month + interval '1 month') at time zone 'UTC');
  own_rows text := format('%1$I >= %2$L and %1$I < %3$L', key, lower_bound, upper_bound);
begin
  if to_regclass('partitions.' || name) is not null then return false; end if;
  execute format('create table partitions.%I (like public.%I including all)', name, parent);
  -- Attaching relies on the constraint instead of scanning the rows again.
  execute format('alter table partitions.%I add constraint month check (%s)', name, own_rows);
  execute format('lock table partitions.%I in access exclusive mode', parent || '_default');
  execute format('with moved as (delete from partitions.%I where %s returning *) insert into partitions.%I select * from moved',
    parent || '_default', own_rows, name);
  execute format('alter table public.%I attach partition partitions.%I for values from (%L) to (%L)',
    parent, name, lower_bound, upper_bound);
  execute format('alter table partitions.%I drop constraint month', name);
  return true;
end $$;

-- Creates the partitions of this month and the next three. Returns how many were missing. One caller at a time: others return 0.
create function ensure_partitions() returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '500ms' as $$
begin
  if not pg_try_advisory_xact_lock(7206522) then return 0; end if;
  return (
    select count(*) filter (where create_partition(t.parent, t.key,
      (date_trunc('month', now() at time zone 'UTC') + ahead * interval '1 month')::date))
    from partitioned_tables() t, generate_series(0, 3) as ahead);
end $$;
revoke execute on function create_partition, ensure_partitions from public;
select ensure_partitions();
`);
    this.addSql(`
-- Retention. The application may not delete, so the periods are here, and no parameter shortens them.
create function kept_for(name text) returns interval language sql immutable strict as $$
  select case name when 'webhook_attempt' then interval '30 days' when 'rail_notification' then interval '400 days'
    when 'click' then interval '400 days' else interval '90 days' end;
$$;

-- Whether something in the partition may still change. Index probes only.
create function is_partition_open(parent text, partition text, lower_bound uuid, upper_bound uuid) returns boolean language plpgsql as $$
declare is_open boolean;
begin
  -- The longest cookie window and 30 days are less than the period.
  if parent = 'click' then return false; end if;
  if parent = 'webhook_attempt' then
    execute format($query$select exists (select from public.webhook_delivery where status = 'pending' and not in_lane and id >= $1 and id < $2)
      or exists (select from public.webhook_delivery where status = 'pending' and in_lane and id >= $1 and id < $2)
      or exists (select from partitions.%I where started_at > now() - kept_for('webhook_attempt'))$query$, partition)
      into is_open using lower_bound, upper_bound;
  else
    select exists (select from public.webhook_delivery
        where status = 'pending' and not in_lane and event_id >= lower_bound and event_id < upper_bound)
      or exists (select from public.webhook_delivery
        where status = 'pending' and in_lane and event_id >= lower_bound and event_id < upper_bound)
      or exists (select from public.webhook_delivery where status = 'parked' and event_id >= lower_bound and event_id < upper_bound)
      or parent = 'webhook_event' and to_regclass('partitions.webhook_delivery' || right(partition, 8)) is not null
      into is_open;
  end if;
  return is_open;
end $$;

-- Drops one month whose last row has expired, unless something in it is open. The table is locked for the moment of the drop; what
-- is found under the lock decides. Both null: there is nothing to drop. Busy: the lock was not free, and later tries may succeed.
create function drop_expired_partition() returns table (dropped text, busy boolean) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp set lock_timeout = '200ms' as $$
declare expired record;
begin
  for expired in
    select m.*, first_uuid_at(m.month at time zone 'UTC') as lower_bound, first_uuid_at(m.ends_at) as upper_bound from (
      select t.parent, c.relname::text as partition, to_date(right(c.relname, 7), 'YYYY_MM')::timestamp as month,
        (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' as ends_at
      from partitioned_tables() with ordinality as t (parent, key, position)
      join pg_inherits i on i.inhparent = ('public.' || t.parent)::regclass
      join pg_class c on c.oid = i.inhrelid and c.relname ~ '_\\d{4}_\\d\\d$'
      order by t.position desc, c.relname) m
    where m.ends_at <= now() - kept_for(m.parent)
  loop
    continue when is_partition_open(expired.parent, expired.partition, expired.lower_bound, expired.upper_bound);
    begin
      execute format('lock table only public.%I in access exclusive mode', expired.parent);
      if not is_partition_open(expired.parent, expired.partition, expired.lower_bound, expired.upper_bound) then
        execute format('drop table partitions.%I', expired.partition);
        return query select expired.partition, false;
      end if;
      return;
    exception when lock_not_available then
      return query select null::text, true;
      return;
    end;
  end loop;
end $$;

-- Expired rows in the default partitions, late attempts of old deliveries mostly, and expired replays. Returns how many were deleted.
create function delete_expired_webhook_rows(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  attempts int;
  deliveries int;
  events int;
  replays int;
  oldest uuid := first_uuid_at(now() - kept_for('webhook_event'));
begin
  delete from partitions.webhook_attempt_default where (delivery_id, n) in (
    select a.delivery_id, a.n from partitions.webhook_attempt_default a
    where a.delivery_id < first_uuid_at(now() - kept_for('webhook_attempt')) and a.started_at <= now() - kept_for('webhook_attempt')
      and not exists (select from public.webhook_delivery d where d.id = a.delivery_id and d.status = 'pending')
    limit least(most, 10000));
  get diagnostics attempts = row_count;
  delete from partitions.webhook_delivery_default where (id, event_id) in (
    select id, event_id from partitions.webhook_delivery_default
    where event_id < oldest and status not in ('pending', 'parked') limit least(most, 10000) for update skip locked);
  get diagnostics deliveries = row_count;
  delete from partitions.webhook_event_default where id in (
    select e.id from partitions.webhook_event_default e
    where e.id < oldest and not exists (select from public.webhook_delivery d where d.event_id = e.id) limit least(most, 10000));
  get diagnostics events = row_count;
  delete from webhook_replay where id in (
    select id from webhook_replay where id < oldest and state <> 'running' order by id limit least(most, 10000) for update skip locked);
  get diagnostics replays = row_count;
  return attempts + deliveries + events + replays;
end $$;

-- Only what was handled: a notification that no attempt matched stays.
create function delete_expired_notifications(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare deleted int;
begin
  delete from rail_notification where id in (
    select id from rail_notification where id < first_uuid_at(now() - kept_for('rail_notification')) and handled_at is not null
    order by id limit least(most, 10000) for update skip locked);
  get diagnostics deleted = row_count;
  return deleted;
end $$;

-- Mails that were sent or given up.
create function delete_expired_mails(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare deleted int;
begin
  delete from mail where id in (
    select id from mail where id < first_uuid_at(now() - kept_for('mail')) and status <> 'queued'
    order by id limit least(most, 10000) for update skip locked);
  get diagnostics deleted = row_count;
  return deleted;
end $$;

-- Clicks older than the cookie window of their program and 30 days, of up to 100 programs after the given one. Their numbers
-- stay. The last program is null when there are no more.
create function delete_expired_clicks(after_program uuid, most int) returns table (deleted int, last_program uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  select case when count(*) = 100 then max(id::text)::uuid end into last_program
    from (select id from program where after_program is null or id > after_program order by id limit 100) as page;
  delete from click where id in (
    select expired.id
    from (select id, cookie_duration from program where after_program is null or id > after_program order by id limit 100) p
    cross join lateral (
      select c.id from click c
      where c.program_id = p.id and c.id < first_uuid_at(now() - make_interval(days => p.cookie_duration + 30))
      order by c.id limit least(most, 10000)) as expired
    limit least(most, 10000));
  get diagnostics deleted = row_count;
  return next;
end $$;
revoke execute on function is_partition_open, drop_expired_partition, delete_expired_webhook_rows, delete_expired_notifications,
  delete_expired_mails, delete_expired_clicks from public;
`);
    this.addSql(`
-- Erasure of one person, by email address. Every function replaces what it finds, so repeating it is harmless; those that walk a
-- table read at most 10,000 rows per call and return where the next call continues, null at the end.
-- A whole name or address: "ada@x.example" is no part of "bada@x.example". In JSON, a line break before it is a backslash and "n".
create function term_pattern(term text) returns text language sql immutable strict as $$
  select '(?:(?<![[:alnum:]._%+-])|(?<=\\\\[bfnrt]))' || regexp_replace(term, '([^[:alnum:]@ ])', '\\\\\\1', 'g') || '(?![[:alnum:]-]|\\.[[:alnum:]])';
$$;

create function without_terms(content text, terms text[]) returns text language plpgsql immutable as $$
declare term text;
begin
  foreach term in array terms loop
    continue when length(term) < 3;
    content := regexp_replace(content, term_pattern(term), '[erased]', 'gi');
  end loop;
  return content;
end $$;

-- Replaces names in the texts of a JSON document: a name may also be the name of a field, a number, or null.
create function without_names(document text, names text[]) returns text language plpgsql immutable as $$
declare name text;
begin
  foreach name in array names loop
    continue when length(name) < 3;
    name := to_json(name);
    -- The first letter of a name is not that of an escape: a line break before "at" is no "Nat".
    document := regexp_replace(document, '(?<![^\\\\](?:\\\\\\\\)*\\\\)' || term_pattern(substring(name from 2 for length(name) - 2))
      || '(?=([^"\\\\]|\\\\.)*"\\s*[],}])', '[erased]', 'gi');
  end loop;
  return document;
end $$;

create function names_term(content text, terms text[]) returns boolean language sql immutable as $$
  select exists (select from unnest(terms) as term where content ~* term_pattern(term));
$$;

-- The text of a JSON document. Where it is about the person or one of their memberships, their names and their message go too.
create function without_person(document text, address text, members text[], names text[]) returns text language plpgsql immutable as $$
begin
  if position(lower('"email":' || to_json(address)) in lower(document)) > 0 then
    document := regexp_replace(document, '"name":"(\\\\.|[^"\\\\])*"', '"name":null', 'g');
    document := regexp_replace(document, '"message":"(\\\\.|[^"\\\\])*"', '"message":"[erased]"', 'g');
  end if;
  if names_term(document, members || address) then document := without_names(document, names); end if;
  return without_terms(document, array[address]);
end $$;

-- The profile, memberships, keys, links, invites and what merchants wrote about the person. Null when no profile has the address.
create function erase_profile(address text, erased_at timestamptz)
returns table (profile_id uuid, memberships int, keys uuid[]) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  profile affiliate_profile;
  members uuid[];
  terms text[];
begin
  -- In the order of whoever claims an invite: the invites, then the profile. Foreign keys to it do not wait for it.
  perform from invite i where i.id in (
      select n.id from invite n where n.email = lower(address)
      union select p.invite_id from application p join affiliate_profile f on f.id = p.profile_id where lower(f.email) = lower(address))
    order by i.id for no key update;
  -- Also of somebody who never joined.
  update invite i set email = 'erased@erased.invalid', name = case when i.name is not null then '[erased]' end,
    expires_at = least(i.expires_at, erase_profile.erased_at)
    where i.email = lower(address);
  update stripe_problem s set note = without_terms(s.note, array[address]) where names_term(s.note, array[address]);
  select * into profile from affiliate_profile p where lower(p.email) = lower(address) for no key update;
  if profile.id is null then return; end if;
  select coalesce(array_agg(a.id), '{}'), array_agg(distinct a.name) into members, terms from affiliate a where a.profile_id = profile.id;
  terms := array_remove(array_append(array_append(terms, profile.name), address), null);
  update affiliate_profile p set email = 'erased-' || profile.id || '@erased.invalid', name = null, payout_method = null,
    payout_details = null, payout_details_changed_at = null, payout_digests = '{}', erased_at = erase_profile.erased_at, updated_at = erase_profile.erased_at
    where p.id = profile.id;
  update affiliate a set name = null, payout_method = null, payout_details = null, payout_details_changed_at = null, sort_name = '',
    search_text = a.code, blocked_reason = without_terms(a.blocked_reason, terms), updated_at = erase_profile.erased_at
    where a.id = any(members);
  update link l set name = '[erased]', updated_at = erase_profile.erased_at where l.affiliate_id = any(members);
  update application p set message = case when p.message is not null then '[erased]' end, note = without_terms(p.note, terms), search_text = '',
    updated_at = erase_profile.erased_at
    where p.profile_id = profile.id;
  update invite i set name = without_terms(i.name, terms) from application p
    where p.invite_id = i.id and p.profile_id = profile.id and i.name is not null;
  update payout o set notes = without_terms(o.notes, terms) where o.affiliate_id = any(members) and o.notes is not null;
  update payout_timeline t set note = without_terms(t.note, terms) from payout o
    where t.payout_id = o.id and o.affiliate_id = any(members) and t.note is not null;
  update payout_contradiction k set note = without_terms(k.note, terms) from payout o
    where k.payout_id = o.id and o.affiliate_id = any(members) and k.note is not null;
  -- In the order of a payout that fails: the payouts, then their items, then the flags that hold those.
  update commission_adjustment d set note = without_terms(d.note, terms) where d.affiliate_id = any(members) and d.note is not null;
  update flag f set note = without_terms(f.note, terms), details = without_names(f.details::text, terms)::jsonb
    where f.affiliate_id = any(members);
  delete from affiliate_session s where s.profile_id = profile.id;
  with owned as (
    update api_key k set name = '[erased]', revoked_at = coalesce(k.revoked_at, erase_profile.erased_at)
    where k.owner_id = profile.id returning k.id)
  select coalesce(array_agg(id), '{}') into keys from owned;
  profile_id := profile.id;
  memberships := cardinality(members);
  return next;
end $$;

-- Where final payouts of erased people were sent. Others still need it. Returns how many were erased.
create function erase_payout_recipients(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare erased int;
begin
  with final as (
    select o.id from affiliate_profile f join affiliate a on a.profile_id = f.id join payout o on o.affiliate_id = a.id
    where f.erased_at is not null and o.details is not null and o.status in ('completed','failed') and not o.needs_attention
      and not exists (select from payout_contradiction k where k.payout_id = o.id and k.resolved_at is null)
    limit least(most, 10000)),
  attempts as (
    update payout_attempt t set request = t.request - 'lastFour' from final where t.payout_id = final.id and t.request ? 'lastFour')
  update payout o set details = null from final where o.id = final.id;
  get diagnostics erased = row_count;
  return erased;
end $$;

-- The person as a customer, in sales. \`ids\` are the customer ids that name the person, and the clicks are those of their sales.
create function erase_customer(address text, digest text, ids text[], pseudonym text, after_sale uuid, most int)
returns table (erased int, last_sale uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare found uuid[];
begin
  select array_agg(page.id) filter (where page.customer_email_digest = digest or lower(page.customer_id) = any(ids)
      or names_term(concat(page.metadata, ' ', page.evidence), array[address])),
    case when count(*) = least(most, 10000) then (array_agg(page.id order by page.id desc))[1] end
    into found, last_sale
    from (select s.* from sale s where after_sale is null or s.id > after_sale order by s.id limit least(most, 10000)) page;
  update click c set visitor = '', address = '', browser = '', repeat_key = '', page = null, referrer = null
    where c.id in (select (s.evidence ->> 'clickId')::uuid from sale s where s.id = any(found) and s.customer_email_digest = digest);
  update sale s set customer_email_digest = nullif(s.customer_email_digest, digest),
    customer_canonical_digest = case when s.customer_email_digest is distinct from digest then s.customer_canonical_digest end,
    customer_email_domain = case when s.customer_email_digest is distinct from digest then s.customer_email_domain end,
    customer_id = case when lower(s.customer_id) = any(ids) then pseudonym || '_' || array_position(ids, lower(s.customer_id)) else s.customer_id end,
    metadata = without_terms(s.metadata::text, array[address])::jsonb, evidence = without_terms(s.evidence::text, array[address])::jsonb
    where s.id = any(found);
  get diagnostics erased = row_count;
  return next;
end $$;

-- As erase_customer, in sign-ups.
create function erase_identifications(digest text, ids text[], pseudonym text, after_row uuid, most int)
returns table (erased int, last_row uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare found uuid[];
begin
  select array_agg(page.id) filter (where page.customer_email_digest = digest or lower(page.customer_id) = any(ids)),
    case when count(*) = least(most, 10000) then (array_agg(page.id order by page.id desc))[1] end
    into found, last_row
    from (select i.* from customer_identification i where after_row is null or i.id > after_row order by i.id limit least(most, 10000)) page;
  update click c set visitor = '', address = '', browser = '', repeat_key = '', page = null, referrer = null
    where c.id in (select (i.evidence ->> 'clickId')::uuid from customer_identification i where i.id = any(found));
  update customer_identification i set customer_email_digest = null, customer_email_domain = null,
    customer_id = case when lower(i.customer_id) = any(ids) then pseudonym || '_' || array_position(ids, lower(i.customer_id)) else i.customer_id end,
    evidence = without_terms(i.evidence::text, ids)::jsonb
    where i.id = any(found);
  get diagnostics erased = row_count;
  return next;
end $$;

-- Events of the webhooks. The trigger lets nothing else change their bodies, and the application has no right to set them.
create function erase_events(address text, ids text[], members text[], names text[], after_event uuid, most int)
returns table (erased int, last_event uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp set tributary.erasing = 'on' as $$
begin
  select case when count(*) = least(most, 10000) then (array_agg(page.id order by page.id desc))[1] end into last_event
    from (select e.id from webhook_event e where after_event is null or e.id > after_event order by e.id limit least(most, 10000)) page;
  with changed as (
    select e.id, convert_from(e.body, 'UTF8') as before,
      without_terms(without_person(convert_from(e.body, 'UTF8'), address, members, names), ids) as after
    from webhook_event e where (after_event is null or e.id > after_event) and (last_event is null or e.id <= last_event))
  update webhook_event e set body = convert_to(changed.after, 'UTF8') from changed where e.id = changed.id and changed.after <> changed.before;
  get diagnostics erased = row_count;
  return next;
end $$;

-- What receivers returned, where it repeats the address.
create function erase_excerpts(address text, after_delivery uuid, most int)
returns table (erased int, last_delivery uuid) language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare until uuid;
begin
  -- Whole deliveries: their attempts are few.
  select case when count(*) = least(most, 10000) then (array_agg(page.delivery_id order by page.delivery_id desc))[1] end into last_delivery
    from (select a.delivery_id from webhook_attempt a where after_delivery is null or a.delivery_id > after_delivery
      order by a.delivery_id, a.n limit least(most, 10000)) page;
  update webhook_attempt a set response_excerpt = null, response_headers = null
    where (after_delivery is null or a.delivery_id > after_delivery) and (last_delivery is null or a.delivery_id <= last_delivery)
      and names_term(concat(encode(a.response_excerpt, 'escape'), ' ', a.response_headers), array[address]);
  get diagnostics erased = row_count;
  return next;
end $$;

-- Stored responses, which live for a day. Encrypted ones show keys and secrets.
create function erase_responses(address text, members text[], names text[]) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare erased int;
begin
  with changed as (
    select r.id, r.body as before, without_person(r.body, address, members, names) as after from idempotency_record r where not r.encrypted)
  update idempotency_record r set body = changed.after from changed where r.id = changed.id and changed.after <> changed.before;
  get diagnostics erased = row_count;
  return erased;
end $$;
revoke execute on function erase_profile, erase_payout_recipients, erase_customer, erase_identifications, erase_events, erase_excerpts,
  erase_responses from public;
-- Numbers that nothing compares or adds up any more. Returns how many were deleted.
create function delete_expired_windows(most int) returns int language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  bound int := least(most, 10000);
  deleted int;
  total int := 0;
begin
  delete from click_minute where ctid = any(array(select ctid from click_minute where minute < now() - interval '1 day' limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from click_alert where ctid = any(array(
    select ctid from click_alert where minute < now() - interval '1 day' and handled_at is not null limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from click_hour where ctid = any(array(select ctid from click_hour where hour < now() - interval '31 days' limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from conversion_hour where ctid = any(array(select ctid from conversion_hour where hour < now() - interval '31 days' limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  -- Periods start at most 90 days ago.
  delete from conversion_sum where ctid = any(array(
    select ctid from conversion_sum where span = 'quarter' and starts_at < now() - interval '100 days' limit bound));
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from affiliate_session where ctid = any(array(select ctid from affiliate_session where seen_at < now() - interval '31 days' limit bound));
  get diagnostics deleted = row_count;
  return total + deleted;
end $$;
revoke execute on function delete_expired_windows from public;
`);
    this.addSql(`
-- The role of the application. It owns nothing, so it can alter no table and switch off no trigger. It deletes only what is
-- listed here, and what was booked, sent or done is never changed. This block stays last: it covers all tables above.
do $$ begin
  if not exists (select from pg_roles where rolname = 'tributary_app') then create role tributary_app nologin; end if;
end $$;
grant usage on schema public to tributary_app;
grant select, insert, update on all tables in schema public to tributary_app;
revoke update on click, commission_adjustment, flag_conversion, ledger_entry, payout_item, payout_timeline, webhook_event from tributary_app;
grant update (active) on payout_item to tributary_app;
grant update (included_in) on commission_adjustment to tributary_app;
revoke insert, update on event_order, migration from tributary_app;
grant delete on conversion_change, encryption_key, idempotency_record, marketing_resource, outbox, resource_media, stored_file, webhook_secret to tributary_app;
grant execute on function ensure_partitions, drop_expired_partition, delete_expired_webhook_rows, delete_expired_notifications,
  delete_expired_mails, delete_expired_clicks, delete_expired_windows, erase_profile, erase_payout_recipients, erase_customer, erase_identifications, erase_events,
  erase_excerpts, erase_responses to tributary_app;
alter default privileges in schema public grant select, insert, update on tables to tributary_app;
`);
  }

  override async down(): Promise<void> {
    throw new Error('The first migration has no way back: drop the database instead');
  }
}
