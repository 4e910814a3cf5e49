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
  -- To the fields of the program, as they were asked. Null: none.
  answers jsonb,
  note text,
  invite_id uuid,
  requested_code text,
  -- What the person accepted on a page of the program, and when. Null: they joined in another way.
  accepted_terms jsonb,
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
