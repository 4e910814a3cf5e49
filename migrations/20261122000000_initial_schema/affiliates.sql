create table affiliate_profile (
  id uuid primary key,
  user_id uuid not null,
  email text not null,
  name text,
  payout_method text check (payout_method in ('paypal','bank_transfer')),
  payout_details text,
  -- When the owner last changed where they are paid.
  payout_details_changed_at timestamptz(3),
  -- When the owner last said that they are right.
  payout_details_confirmed_at timestamptz(3),
  -- Until when no merchant pays to details that a person changed, or a new key of theirs.
  payout_cooldown_until timestamptz(3),
  -- The details before these changes, and the token of the link that brings them back: encrypted, and the SHA-256 of the token.
  payout_undo text,
  payout_undo_hash bytea,
  -- Keyed hashes of what the details name, to find other profiles with the same.
  payout_digests text[] not null default '{}',
  -- When the data of the person was replaced.
  erased_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index affiliate_profile_email on affiliate_profile (lower(email));
create index affiliate_profile_payout_digests on affiliate_profile using gin (payout_digests);
create unique index affiliate_profile_payout_undo on affiliate_profile (payout_undo_hash) where payout_undo_hash is not null;
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
  -- The person was erased: nothing more is credited.
  erased_at timestamptz(3),
  -- Replaces the percent of the program for later conversions.
  commission_percent numeric(5,2) check (commission_percent between 1 and 100),
  payouts_paused boolean not null default false,
  trust_tier text not null default 'new' check (trust_tier in ('new','trusted','verified')),
  -- Since when the record counts that raises the tier. Null: since the affiliate joined.
  trust_reset_at timestamptz(3),
  -- Added by the merchant, and not yet joined by the owner with a key of their own: the merchant is shown the address and what
  -- the merchant entered, and nothing of the profile is used.
  profile_hidden boolean not null default false,
  -- When they took part by an act of their own: applied, claimed an invite, signed in. Null: others added them.
  joined_at timestamptz(3),
  -- As the merchant entered them. The profile's take precedence once it is not hidden.
  name text,
  payout_method text check (payout_method in ('paypal','bank_transfer')),
  payout_details text,
  payout_details_changed_at timestamptz(3),
  payout_details_confirmed_at timestamptz(3),
  -- Of the merchant: the id in another system, and data that is stored for it.
  external_id text,
  metadata jsonb,
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
create unique index affiliate_of_external_id on affiliate (program_id, external_id) where external_id is not null;
create index affiliate_by_external_id on affiliate (merchant_id, external_id, created_at desc, id desc) where external_id is not null;
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

-- Payouts that an online rail definitely failed to make and blames on where they were sent: several of one destination pause it.
create table details_refusal (
  payout_id uuid primary key,
  merchant_id uuid not null,
  profile_id uuid not null,
  -- Keyed hash of the account.
  destination text not null,
  -- The provider's own code.
  reason text not null,
  payout_created_at timestamptz(3) not null,
  refused_at timestamptz(3) not null
);
create index details_refusal_of_destination on details_refusal (destination);
create index details_refusal_of_person on details_refusal (profile_id);
