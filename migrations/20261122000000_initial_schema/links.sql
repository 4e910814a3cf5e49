create table link (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  name text not null,
  code text not null unique references referral_code deferrable initially deferred,
  target_url text,
  is_active boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- A deleted link keeps its row: its code is never given to anybody else.
  deleted_at timestamptz(3)
);
create index link_of_affiliate on link (affiliate_id, created_at desc, id desc);
