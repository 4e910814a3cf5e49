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
