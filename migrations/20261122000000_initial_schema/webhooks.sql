create table webhook_endpoint (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid,
  name text not null,
  url text not null,
  status text not null check (status in ('active','disabled')),
  schema_version int not null check (schema_version = 2),
  subscribed_events text[] not null check (cardinality(subscribed_events) >= 1),
  -- Types beyond the published ones, or "*".
  extended_events text[] not null default '{}',
  secret_last_four text,
  disabled_reason text,
  enable_count int not null default 0,
  -- Lane n of m sends the first attempts of the slots whose number modulo m is n.
  slot smallint not null generated always as (get_byte(uuid_send(id), 15) & 63) stored,
  -- Its parked deliveries are to be made pending again, or cancelled if it is deleted.
  unparking boolean not null default false,
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
create index webhook_endpoint_unparking on webhook_endpoint (slot, id) where unparking;
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

-- One row. An event is listed at the number of its transaction: a later transaction may commit first, but what comes before the
-- oldest open transaction is complete. In another cluster, "ahead" is added to the numbers, which start again there.
create table event_order (
  cluster bigint primary key,
  ahead bigint not null
);
insert into event_order select system_identifier, 0 from pg_control_system();

-- Events, deliveries and attempts are partitioned by month: ids are UUIDs of version 7, so a month is a range of ids. No foreign
-- keys between them: dropping a partition would have to scan the tables that refer to it.
create table webhook_event (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid,
  type text not null,
  schema_version int not null,
  test boolean not null default false,
  -- Of a type beyond the published ones: listed on request only.
  extended boolean not null default false,
  body bytea not null check (octet_length(body) <= 262144),
  occurred_at timestamptz(3) not null,
  -- In the list of events, with the id.
  position bigint not null default next_event_position()
) partition by range (id);
create index webhook_event_of_merchant on webhook_event (merchant_id, id);
-- Each event has its place in one of them.
create index webhook_event_listed on webhook_event (merchant_id, position, id) where not test and not extended;
create index webhook_event_extended on webhook_event (merchant_id, position, id) where not test and extended;

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
  -- Of the endpoint.
  slot smallint not null,
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
create index webhook_delivery_in_lane on webhook_delivery (slot, endpoint_id, priority, id) where status = 'pending' and in_lane;
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

-- The epoch rises when a process takes over a lane, and that of each lane when their number changes: no attempt of a lower epoch
-- can start. Every row has the number of lanes, so that one lock tells a lane what it serves.
create table webhook_lane (
  lane smallint primary key check (lane between 0 and 63),
  epoch bigint not null default 0,
  lanes smallint not null default 8 check (lanes between 1 and 64)
);
insert into webhook_lane (lane) select generate_series(0, 63);

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
create table partitions.webhook_event_default partition of webhook_event default;
create table partitions.webhook_delivery_default partition of webhook_delivery default;
create table partitions.webhook_attempt_default partition of webhook_attempt default;
