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
  -- What applicants are asked on the page under that slug.
  application_fields jsonb not null default '[]',
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
  payout_threshold bigint not null check (payout_threshold between 10 and 1000000),
  payout_frequency text not null check (payout_frequency in ('weekly','monthly','quarterly')),
  -- Whether runs are drafted by that frequency. Null: they are not.
  auto_payouts jsonb,
  -- When the next one is drafted.
  auto_payouts_at timestamptz(3),
  currency text not null check (currency ~ '^[a-z]{3}$'),
  auto_approve_affiliates boolean not null,
  -- Every conversion of an affiliate with the trust tier "new" waits for a person.
  review_new_affiliates boolean not null default false,
  tracking_requires_consent boolean,
  tracking_param_aliases text[],
  -- Origins of the apps that may show the page of an affiliate in a frame.
  embed_origins text[] not null default '{}',
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
  grant_id uuid not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- That granted access, until a person confirms that it is meant.
  account_id text,
  livemode boolean
);
create index program_with_turn on program (auto_payouts_at) where auto_payouts_at is not null;

-- What the pages of a program for its affiliates show as its own.
create table program_portal (
  program_id uuid primary key references program,
  name text,
  accent_color text check (accent_color ~ '^#[0-9a-f]{6}$'),
  logo_id uuid unique,
  logo_type text check (logo_type in ('image/png','image/jpeg','image/webp')),
  logo_width int,
  logo_height int,
  logo_bytes bytea check (octet_length(logo_bytes) <= 32768),
  -- Under which the pages are shown once its record was found, which holds the token.
  host text,
  host_token text,
  host_verified_at timestamptz(3),
  -- When the record of a verified host is looked for next, and since when it has been missing.
  host_check_at timestamptz(3),
  host_missing_since timestamptz(3),
  updated_at timestamptz(3) not null,
  check (num_nulls(logo_id, logo_type, logo_width, logo_height, logo_bytes) in (0, 5)),
  check (num_nulls(host, host_token) in (0, 2)),
  check (host_verified_at is null or host is not null),
  check ((host_verified_at is null) = (host_check_at is null))
);
create unique index program_portal_host on program_portal (host) where host_verified_at is not null;
create index program_portal_check on program_portal (host_check_at) where host_check_at is not null;

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
