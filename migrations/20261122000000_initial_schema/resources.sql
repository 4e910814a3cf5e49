create table marketing_resource (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  kind text not null check (kind in ('collection','file','social_post','swipe_copy','external_link')),
  status text not null check (status in ('draft','published','archived')),
  title text not null,
  description text,
  body text,
  instructions text,
  platforms text[] not null check (platforms <@ array['x','linkedin','instagram','tiktok','facebook','threads','generic']),
  url text,
  -- Null: in no collection, or in one that was deleted.
  collection_id uuid references marketing_resource on delete set null deferrable initially deferred,
  published_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index marketing_resource_of_program on marketing_resource (program_id, created_at desc, id desc);
create index marketing_resource_of_collection on marketing_resource (collection_id, created_at desc, id desc)
  where collection_id is not null;

-- Every file of the storage has a row, which is written before the file and outlives it.
create table stored_file (
  -- Also the name of the file in the storage.
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null,
  -- The post that it was uploaded for. Null: a file of the program.
  resource_id uuid,
  mime_type text not null,
  byte_size bigint not null check (byte_size > 0),
  status text not null check (status in ('expected','receiving','received','in_use','discarded')),
  -- Of the request that is sending the file: an earlier one cannot complete it.
  receipt_id uuid,
  -- Until when it may be sent and used. Null: it is in use or was discarded.
  expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index stored_file_of_merchant on stored_file (merchant_id) include (byte_size, status) where status <> 'discarded';
create index stored_file_expiring on stored_file (expires_at) where expires_at is not null;
create index stored_file_discarded on stored_file (id) where status = 'discarded';

-- What a post shows, in the order of sort_order, and the one file of a file.
create table resource_media (
  id uuid primary key,
  resource_id uuid not null references marketing_resource on delete cascade deferrable initially deferred,
  file_id uuid not null unique references stored_file deferrable initially deferred,
  file_name text not null,
  alt_text text,
  sort_order int not null,
  created_at timestamptz(3) not null
);
create index resource_media_of_resource on resource_media (resource_id, sort_order, id);

create table resource_notification (
  id uuid primary key,
  merchant_id uuid not null,
  resource_id uuid not null,
  -- Affiliates are written to from the newest to the oldest: this was the last one.
  last_affiliate_at timestamptz(3) not null,
  last_affiliate_id uuid,
  -- When the next ones are written to: later than at once when the mails of a day are used up.
  next_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3)
);
create index resource_notification_of_merchant on resource_notification (merchant_id, created_at desc);
create index resource_notification_open on resource_notification (id) where finished_at is null;
