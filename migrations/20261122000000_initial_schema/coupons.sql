create table coupon (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null references program deferrable initially deferred,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  code text not null check (code ~ '^[A-Za-z0-9_-]{3,50}$'),
  expires_at timestamptz(3),
  created_at timestamptz(3) not null,
  -- A deleted coupon still credits the sales made before.
  deleted_at timestamptz(3)
);
create unique index coupon_code on coupon (program_id, lower(code)) where deleted_at is null;
create index coupon_by_code on coupon (program_id, lower(code), created_at desc);
create index coupon_of_program on coupon (program_id, created_at desc, id desc) where deleted_at is null;
