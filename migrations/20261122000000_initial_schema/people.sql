-- Whoever signs in. An address is one person, who may have a role at several merchants and own one affiliate profile.
create table person (
  id uuid primary key,
  -- Lower case.
  email text not null unique,
  name text not null,
  -- Such as `de-AT` and `Europe/Vienna`. Null: those of the browser, and UTC.
  locale text,
  timezone text,
  created_at timestamptz(3) not null
);

create table person_role (
  id uuid primary key,
  merchant_id uuid not null references merchant,
  person_id uuid not null references person,
  role text not null check (role in ('owner','finance','manager','viewer')),
  -- Since when: whoever approves must have had the right before what is approved was made.
  role_since timestamptz(3) not null,
  created_at timestamptz(3) not null,
  removed_at timestamptz(3)
);
create unique index person_role_once on person_role (merchant_id, person_id) where removed_at is null;
create index person_role_of_merchant on person_role (merchant_id, created_at desc, id desc) where removed_at is null;
create index person_role_of_person on person_role (person_id, created_at) where removed_at is null;

create table person_invite (
  id uuid primary key,
  merchant_id uuid not null references merchant,
  -- Lower case.
  email text not null,
  role text not null check (role in ('owner','finance','manager','viewer')),
  -- SHA-256 of the token.
  token_hash bytea not null unique,
  -- `person:<id>` or `system:<name>`.
  invited_by text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Accepted, revoked or replaced.
  ended_at timestamptz(3)
);
create unique index person_invite_open on person_invite (merchant_id, email) where ended_at is null;
create index person_invite_of_merchant on person_invite (merchant_id, created_at);
create index person_invite_of_email on person_invite (email);

create table person_session (
  id uuid primary key,
  person_id uuid not null references person,
  -- SHA-256 of the cookie.
  token_hash bytea not null unique,
  -- What the browser calls itself.
  device text,
  -- For which of their merchants the person acts. Null: the first.
  merchant_id uuid,
  -- Under whose domain the person signed in, for which alone it is good. Null: the name of this server.
  program_id uuid,
  -- When the person last proved who they are: with a passkey, and with a new mailed code.
  passkey_at timestamptz(3),
  code_at timestamptz(3),
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index person_session_of_person on person_session (person_id, created_at desc, id desc) where ended_at is null;

-- A mailed link and its code. A request for an address that nobody has is a row too: it takes the same time.
create table sign_in (
  id uuid primary key,
  -- Who signs in with it: a person, or the owner of a profile who has not signed in yet. Neither: nobody has the address.
  person_id uuid references person,
  profile_id uuid,
  -- Keyed hashes of the mailbox and of the address that asked, to limit both.
  mailbox_digest text not null,
  address_digest text,
  -- Who joins a program with it, or signs up: whoever proves the address gets an account with this name. Null: it is for a sign-in.
  email text,
  name text,
  -- Of the company that they sign up.
  company_name text,
  -- Under whose domain it was asked for: as in person_session.
  program_id uuid,
  -- SHA-256 of the token of the link; a keyed hash of the code.
  token_hash bytea not null unique,
  code_digest text not null,
  tries int not null default 0,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index sign_in_of_mailbox on sign_in (mailbox_digest, created_at);
create index sign_in_of_address on sign_in (address_digest, created_at) where address_digest is not null;
create index sign_in_of_person on sign_in (person_id) where person_id is not null;
create index sign_in_of_profile on sign_in (profile_id) where profile_id is not null;
create index sign_in_of_email on sign_in (email) where email is not null;
create index sign_in_by_expiry on sign_in (expires_at);

-- The public half of a key pair that a device of the person keeps.
create table passkey (
  id uuid primary key,
  person_id uuid not null references person,
  -- As the device names it, base64url.
  credential_id text not null unique,
  public_key bytea not null,
  use_count bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  deleted_at timestamptz(3)
);
create index passkey_of_person on passkey (person_id, created_at desc, id desc) where deleted_at is null;

-- What a device signs, once.
create table passkey_challenge (
  id uuid primary key,
  purpose text not null check (purpose in ('register','sign_in','confirm')),
  challenge text not null,
  -- Whose session asked for it. Null: for a sign-in.
  session_id uuid,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index passkey_challenge_by_expiry on passkey_challenge (expires_at);

-- Of a person who lost their passkeys: when it is due they no longer count, unless somebody stops it.
create table passkey_replacement (
  id uuid primary key,
  person_id uuid not null references person,
  -- The merchant, or the profile of the person, in whose audit log it is.
  owner_id uuid not null,
  -- `person:<id>` or `system:<name>`.
  requested_by text not null,
  status text not null check (status in ('pending','stopped','done')),
  -- SHA-256 of the token of the link that stops it.
  token_hash bytea not null unique,
  created_at timestamptz(3) not null,
  due_at timestamptz(3) not null,
  ended_at timestamptz(3),
  check ((status = 'pending') = (ended_at is null))
);
create unique index passkey_replacement_open on passkey_replacement (person_id) where status = 'pending';
create index passkey_replacement_due on passkey_replacement (due_at) where status = 'pending';
create index passkey_replacement_of_person on passkey_replacement (person_id, created_at);
