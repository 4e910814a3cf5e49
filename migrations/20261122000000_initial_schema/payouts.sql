create table payout (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  -- As of the affiliate, which never changes it: a person's payouts in all programs are one index.
  profile_id uuid not null,
  -- As they were when it was created.
  affiliate_code text not null default '',
  affiliate_name text,
  program_name text not null default '',
  -- Code, name and references in lower case, one per line: one index answers a search.
  search_text text not null default '',
  amount bigint not null check (amount > 0),
  currency text not null,
  status text not null check (status in ('pending','processing','completed','failed')),
  method text not null check (method in ('paypal','bank_transfer')),
  rail text not null check (rail in ('manual','sandbox')),
  -- Null after an erasure.
  details text,
  notes text,
  -- Whether the threshold was lifted for it; a retry keeps that.
  below_threshold boolean not null default false,
  retry_of uuid unique references payout deferrable initially deferred,
  -- Null: created alone.
  payout_run_id uuid,
  needs_attention boolean not null default false,
  review_reason text,
  attention_since timestamptz(3),
  failure_code text,
  rail_reason text,
  -- What the provider charged and did not give back, as booked. Null while it reported none.
  fee bigint check (fee >= 0),
  -- Of a payment by hand.
  bank_reference text,
  executed_at timestamptz(3),
  created_by text not null,
  -- A second actor has to approve it before its first attempt: what asks for that counts when it is created.
  approval_required_at timestamptz(3),
  approved_by text,
  approved_at timestamptz(3),
  created_at timestamptz(3) not null,
  processing_at timestamptz(3),
  completed_at timestamptz(3),
  failed_at timestamptz(3),
  updated_at timestamptz(3) not null,
  -- The workflow run that shows it, and whether that was terminated before it showed the end.
  run_id uuid,
  run_lost boolean not null default false,
  version int not null default 1,
  check ((approved_at is null) = (approved_by is null)),
  check (approved_at is null or approval_required_at is not null)
);
create index payout_of_run on payout (payout_run_id, id) where payout_run_id is not null;
create index payout_lost on payout (id) where run_lost;
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

-- The page of a payment as it was first given out. A payout may be paid, come back, and be paid after all.
create table payout_remittance (
  payout_id uuid not null references payout deferrable initially deferred,
  completed_at timestamptz(3) not null,
  -- Null after an erasure.
  html text,
  created_at timestamptz(3) not null,
  primary key (payout_id, completed_at)
);

-- In the order of payment, also of what came back later.
create index payout_paid on payout (merchant_id, completed_at desc, id desc) where completed_at is not null;
create index payout_paid_by_status on payout (merchant_id, status, completed_at desc, id desc) where completed_at is not null;
create index payout_search on payout using gin (search_text gin_trgm_ops);
create index payout_of_bank_reference on payout (merchant_id, lower(bank_reference)) where bank_reference is not null;
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
  -- What the provider reported that it charged for a payment, and gave back of it.
  fee bigint check (fee >= 0),
  fee_returned bigint not null default 0 check (fee_returned >= 0),
  -- What the provider said last that the order is, in any way.
  provider_record jsonb,
  -- The provider reported that the money came back, which is not booked yet.
  return_requested_at timestamptz(3),
  first_sent_at timestamptz(3),
  last_sent_at timestamptz(3),
  resend_at timestamptz(3),
  accepted_at timestamptz(3),
  -- A notification says what only a look-up may decide.
  look_up_requested boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  version int not null default 1,
  unique (payout_id, n)
);
create index payout_attempt_of_reference on payout_attempt (lower(rail_reference)) where rail_reference is not null;

-- A provider or a person reported both paid and failed for one attempt. Open until somebody resolves it.
create table payout_contradiction (
  payout_id uuid not null references payout deferrable initially deferred,
  n int not null check (n >= 1),
  attempt_id uuid not null references payout_attempt deferrable initially deferred,
  recorded text not null check (recorded in ('paid','failed','returned')),
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

-- What changes a payout after its workflow ended: one row per cause, each with a workflow of its own.
create table payout_correction (
  payout_id uuid not null references payout deferrable initially deferred,
  n int not null check (n >= 1),
  cause text not null check (cause in ('rail_return','reported_return','resolution')),
  attempt_id uuid not null references payout_attempt deferrable initially deferred,
  -- Of a resolution.
  contradiction int,
  status text not null check (status in ('open','booked','withdrawn')),
  from_status text not null check (from_status in ('completed','failed')),
  to_status text check (to_status in ('completed','failed')),
  note text,
  -- What proves the return although the provider does not report it.
  evidence text,
  bank_reference text,
  occurred_at timestamptz(3),
  requested_by text not null,
  requested_at timestamptz(3) not null,
  closed_by text,
  closed_at timestamptz(3),
  run_id uuid,
  run_lost boolean not null default false,
  primary key (payout_id, n),
  check ((status = 'open') = (closed_at is null)),
  check ((status = 'booked') = (to_status is not null)),
  check ((cause = 'resolution') = (contradiction is not null))
);
create index payout_correction_of_reference on payout_correction (lower(bank_reference)) where bank_reference is not null;
create unique index payout_correction_open on payout_correction (attempt_id) where closed_at is null;
create index payout_correction_unfinished on payout_correction (payout_id) where closed_at is null or run_lost;
create unique index payout_correction_resolving on payout_correction (payout_id, contradiction) where contradiction is not null;

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
  -- What the provider says that the transfer is; null where it does not say.
  record jsonb,
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
  type text not null check (type in ('created','approval_requested','approval_reminder_sent','approved','approval_expired','attempt_reserved','attempt_sent','send_dropped','status_checked',
    'rail_accepted','rail_paid','rail_failed','returned','affiliate_blocked','items_held','marked_paid','marked_failed',
    'return_reported','return_withdrawn','marked_returned','cancelled','cancellation_ignored',
    'workflow_terminated','workflow_superseded',
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
