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

-- The functions and triggers that were applied: files of src with the checksum of their text.
create table sql_file (
  name text primary key,
  checksum text not null,
  applied_at timestamptz(3) not null default now()
);
