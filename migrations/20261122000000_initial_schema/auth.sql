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
  -- The key or person that made it; null for the operator.
  created_by uuid,
  -- The first of those that made it: a person, or a key of the operator, which is its own. One line is one actor.
  line_id uuid not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  expires_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index api_key_owner on api_key (owner_id, created_at desc, id desc);
create index api_key_created_by on api_key (created_by) where created_by is not null;
create index api_key_of_line on api_key (line_id);

-- Browsers in which affiliates used their keys lately, a bounded number of each: the same keyed hash as click.browser.
create table affiliate_session (
  profile_id uuid not null,
  slot smallint not null check (slot between 0 and 19),
  browser bytea not null,
  seen_at timestamptz(3) not null,
  primary key (profile_id, slot)
);
create index affiliate_session_by_time on affiliate_session (seen_at);
