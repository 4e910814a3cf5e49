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
  -- Minor units by currency. Null: no limit.
  payout_daily_limit jsonb,
  -- From which amount on a second actor approves. Minor units by currency. Null: nobody has to.
  payout_approval_threshold jsonb,
  onboarding_completed boolean not null,
  onboarding_step int not null,
  -- Null before the first change: the defaults apply.
  notification_preferences jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create index merchant_of_user on merchant (user_id, created_at);
create index merchant_weekly_digest on merchant (id) where (notification_preferences ->> 'weeklyDigest') = 'true';

-- A change of a setting that makes payouts less safe: in effect once a second actor approved it, or when it is due.
create table pending_change (
  id uuid primary key,
  merchant_id uuid not null,
  setting text not null check (setting in ('payoutApprovalThreshold','payoutDailyLimit','detailsCooldownHours')),
  old_value jsonb,
  new_value jsonb,
  status text not null check (status in ('pending','approved','applied','cancelled','superseded')),
  created_by text not null,
  created_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  decided_by text,
  decided_at timestamptz(3),
  check ((status = 'pending') = (decided_at is null)),
  check ((decided_at is null) = (decided_by is null))
);
create unique index pending_change_open on pending_change (merchant_id, setting) where status = 'pending';
create index pending_change_due on pending_change (due_at) where status = 'pending';
create index pending_change_of_merchant on pending_change (merchant_id, created_at desc, id desc);
create index pending_change_by_status on pending_change (merchant_id, status, created_at desc, id desc);
