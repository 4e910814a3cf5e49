create table ledger_entry (
  id bigint generated always as identity primary key,
  transaction_id uuid not null,
  kind text not null check (kind in ('conversion','approval','refund','rejection','adjustment','payout_created','payout_completed','payout_failed','payout_returned',
    'payout_resolved_paid','payout_resolved_not_paid','rail_fee','rail_fee_returned')),
  account text not null check (account in ('pending','payable','in_payout','paid','merchant_expense','rail_fees')),
  owner_id uuid not null,
  program_id uuid not null,
  merchant_id uuid not null,
  currency text not null,
  amount bigint not null check (amount <> 0),
  reference_id uuid not null,
  booked_on date not null,
  -- Whose fees they are.
  rail text,
  created_at timestamptz(3) not null,
  check ((account = 'rail_fees') = (rail is not null))
);
create index ledger_entry_of_transaction on ledger_entry (transaction_id);
create index ledger_entry_of_owner on ledger_entry (owner_id, id);
create index ledger_entry_of_reference on ledger_entry (reference_id, id);
create index ledger_entry_of_merchant on ledger_entry (merchant_id, booked_on, id);

-- Floors hold in the database: no account below zero, payable not below what open adjustments still deduct.
create table ledger_balance (
  affiliate_id uuid primary key,
  program_id uuid not null,
  merchant_id uuid not null,
  currency text not null,
  pending bigint not null default 0 check (pending >= 0),
  payable bigint not null default 0,
  in_payout bigint not null default 0 check (in_payout >= 0),
  paid bigint not null default 0 check (paid >= 0),
  open_adjustments bigint not null default 0 check (open_adjustments >= 0),
  check (payable >= -open_adjustments)
);
create index ledger_balance_owed on ledger_balance (merchant_id, affiliate_id desc) where payable > 0;
create index ledger_balance_owed_in_program on ledger_balance (program_id, affiliate_id desc) where payable > 0;

-- The months of a merchant that were closed. Null: an operator opened it again.
create table ledger_period (
  id uuid primary key,
  merchant_id uuid not null,
  month date not null check (extract(day from month) = 1),
  closed_at timestamptz(3),
  closed_by text not null,
  last_posted_at timestamptz(3),
  unique (merchant_id, month)
);

-- The figures of a closed month; `balance` is at its end.
create table ledger_period_total (
  merchant_id uuid not null,
  month date not null,
  program_id uuid not null,
  currency text not null,
  account text not null,
  entries bigint not null,
  amount bigint not null,
  balance bigint not null,
  primary key (merchant_id, month, program_id, currency, account),
  foreign key (merchant_id, month) references ledger_period (merchant_id, month)
);
