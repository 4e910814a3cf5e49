create table conversion (
  id uuid primary key,
  sale_id uuid not null unique references sale deferrable initially deferred,
  merchant_id uuid not null,
  program_id uuid not null,
  affiliate_id uuid not null references affiliate deferrable initially deferred,
  amount bigint not null check (amount > 0),
  refunded bigint not null default 0 check (refunded between 0 and amount),
  commission bigint not null check (commission >= 0),
  -- What refunds took back after the commission stood in a payout: commission + adjusted = what a payout carries.
  adjusted bigint not null default 0 check (adjusted >= 0),
  commission_percent numeric(5,2) not null,
  currency text not null,
  status text not null check (status in ('pending','approved','partially_refunded','rejected','refunded')),
  method text not null check (method in ('cookie','coupon','metadata')),
  stripe_session_id text,
  -- Null until the fraud rules have screened it: until then it is neither approved nor paid.
  screened_at timestamptz(3),
  release_at timestamptz(3) not null,
  approved_at timestamptz(3),
  -- As of the sale: while it is set, the commission is neither approved nor paid.
  disputed_at timestamptz(3),
  -- The approval found it due while a flag or a block held it, and does not look at it again before one of these has ended.
  held_back boolean not null default false,
  -- The payout that has the commission as an active item. Null: in no payout, or only in payouts that failed.
  included_in uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index conversion_of_merchant on conversion (merchant_id, created_at desc, id desc);
create index conversion_by_status on conversion (merchant_id, status, created_at desc, id desc);
create index conversion_of_program on conversion (program_id, created_at desc, id desc);
create index conversion_of_affiliate on conversion (affiliate_id, created_at desc, id desc);
-- An affiliate has one program, and a program one merchant: without this, the planner takes conditions on two of them for rarer than
-- they are, and sorts what an index has in order.
create statistics conversion_owners (dependencies) on merchant_id, program_id, affiliate_id from conversion;
create index conversion_due on conversion (release_at, id)
  where approved_at is null and screened_at is not null and disputed_at is null and status in ('pending','partially_refunded') and not held_back;
create index conversion_held_back on conversion (affiliate_id, release_at, id)
  where approved_at is null and status in ('pending','partially_refunded') and held_back;
create index conversion_due_of_affiliate on conversion (affiliate_id, release_at, id)
  where approved_at is null and screened_at is not null and disputed_at is null and status in ('pending','partially_refunded');
create index conversion_approved on conversion (merchant_id, approved_at desc) where approved_at is not null;
-- What the next payout takes. It stays small however much was paid.
create index conversion_payable on conversion (affiliate_id, id)
  where approved_at is not null and included_in is null and disputed_at is null and commission + adjusted > 0;
-- Disputed, in a payout or not.
create index conversion_held on conversion (affiliate_id, included_in) where disputed_at is not null;
create index conversion_unpaid on conversion (affiliate_id, id)
  where status in ('pending','approved','partially_refunded') and included_in is null;
create index conversion_disputed on conversion (merchant_id, affiliate_id)
  where status in ('pending','approved','partially_refunded') and included_in is null and disputed_at is not null;
-- Unpaid, and held whatever the flags say.
create index conversion_held_of_merchant on conversion (merchant_id, id)
  where status in ('pending','approved','partially_refunded') and included_in is null and (screened_at is null or disputed_at is not null);
create index conversion_held_in_payout on conversion (included_in) where disputed_at is not null and included_in is not null;
create index conversion_unscreened on conversion (screening_shard(affiliate_id), id) where screened_at is null;

-- Conversions by the time of their sale, added up. What is not added up yet is in conversion_change.
create table conversion_sum (
  merchant_id uuid not null,
  -- All zeros: the sum of all programs.
  program_id uuid not null,
  -- A day, a quarter of an hour, or all time. In UTC.
  span text not null check (span in ('all','day','quarter')),
  starts_at timestamptz(3) not null,
  currency text not null,
  status text not null check (status in ('pending','approved','partially_refunded','rejected','refunded')),
  conversions bigint not null,
  -- Less refunds, in minor units.
  revenue numeric not null,
  commission numeric not null,
  -- The part of the commission that is not approved.
  unapproved numeric not null,
  primary key (merchant_id, program_id, span, starts_at, currency, status)
) with (fillfactor = 80);
create index conversion_sum_by_time on conversion_sum (starts_at) where span = 'quarter';

-- By how much conversions changed. Each change is a row of its own, so that no sale waits for another.
create table conversion_change (
  merchant_id uuid not null,
  program_id uuid not null,
  seq bigint generated always as identity,
  -- When the conversion was created.
  created_at timestamptz(3) not null,
  currency text not null,
  status text not null check (status in ('pending','approved','partially_refunded','rejected','refunded')),
  conversions smallint not null,
  revenue numeric not null,
  commission numeric not null,
  unapproved numeric not null,
  primary key (merchant_id, program_id, seq)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_limit = 2000);

-- Of whom the next approval looks again at what it held back: more became due at once than the request approved.
create table held_back_affiliate (
  affiliate_id uuid primary key,
  is_due boolean not null
);
create index held_back_affiliate_due on held_back_affiliate (affiliate_id) where is_due;

create table commission_adjustment (
  id uuid primary key,
  affiliate_id uuid not null,
  -- Made for a refund after payment, for a payout that was paid although its items are in another one, or manually: then it has a kind.
  conversion_id uuid references conversion deferrable initially deferred,
  payout_id uuid,
  kind text check (kind in ('bonus','clawback','correction')),
  amount bigint not null check (amount <> 0),
  note text,
  created_by text,
  -- Of one that a second actor had to approve: payable from then on.
  approved_by text,
  approved_at timestamptz(3),
  -- As conversion.included_in.
  included_in uuid,
  created_at timestamptz(3) not null,
  check ((approved_at is null) = (approved_by is null)),
  check (num_nonnulls(conversion_id, payout_id, kind) = 1),
  check (num_nonnulls(kind, note, created_by) in (0, 3)),
  check (case kind when 'bonus' then amount > 0 when 'clawback' then amount < 0 else true end)
);
create index commission_adjustment_payable on commission_adjustment (affiliate_id, id) where included_in is null;
create index commission_adjustment_of_payout on commission_adjustment (payout_id) where payout_id is not null;
create index commission_adjustment_manual on commission_adjustment (affiliate_id, created_at desc, id desc) where kind is not null;

-- An adjustment that a second actor has to approve: nothing is booked before, then a commission_adjustment of the same id is.
create table adjustment_request (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid not null,
  affiliate_id uuid not null,
  kind text not null check (kind in ('bonus','clawback','correction')),
  amount bigint not null check (amount <> 0),
  currency text not null,
  note text not null,
  status text not null check (status in ('awaiting_approval','booked','cancelled','expired')),
  -- Mails that reminded of it.
  approval_reminders int not null default 0,
  created_by text not null,
  created_at timestamptz(3) not null,
  decided_by text,
  decided_at timestamptz(3),
  check ((status = 'awaiting_approval') = (decided_at is null)),
  check ((decided_at is null) = (decided_by is null))
);
create index adjustment_request_unbooked on adjustment_request (affiliate_id, created_at desc, id desc) where status <> 'booked';
create index adjustment_request_waiting on adjustment_request (created_at, id) where status = 'awaiting_approval';
