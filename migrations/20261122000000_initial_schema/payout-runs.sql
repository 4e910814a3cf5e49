-- Pays many affiliates after one look. A null program or method: all of them.
create table payout_run (
  id uuid primary key,
  merchant_id uuid not null,
  program_id uuid references program deferrable initially deferred,
  method text check (method in ('paypal','bank_transfer')),
  min_amount bigint check (min_amount > 0),
  name text,
  -- Of the bank file.
  execution_date date,
  -- Of a scheduled run: its program's period, once each.
  period text,
  status text not null check (status in ('draft','awaiting_approval','running','paused','completed','cancelled')),
  cancel_reason text check (cancel_reason in ('person','draft_expired','approval_refused','approval_expired')),
  -- Commissions and adjustments that were payable then are paid, no later ones.
  as_of timestamptz(3) not null,
  created_by text not null,
  created_at timestamptz(3) not null,
  -- Who took an affiliate out of the draft.
  edited_by text[] not null default '{}',
  -- Of the items that are not left out of the draft: minor units by currency. Counts for the daily limit from the confirmation until
  -- the run is final.
  total jsonb not null,
  items int not null check (items >= 0),
  confirmed_by text,
  confirmed_at timestamptz(3),
  approved_by text,
  approved_at timestamptz(3),
  -- Mails that reminded of a needed approval.
  approval_reminders int not null default 0,
  paused_at timestamptz(3),
  finished_at timestamptz(3),
  updated_at timestamptz(3) not null,
  -- The workflow run that shows it, and whether that was terminated before it showed the end.
  run_id uuid,
  run_lost boolean not null default false,
  version int not null default 1,
  check ((status = 'cancelled') = (cancel_reason is not null)),
  check ((status in ('completed','cancelled')) = (finished_at is not null)),
  check (period is null or program_id is not null)
);
create index payout_run_of_merchant on payout_run (merchant_id, created_at desc, id desc);
create index payout_run_of_program on payout_run (program_id, created_at desc, id desc) where program_id is not null;
create index payout_run_by_status on payout_run (merchant_id, status, created_at desc, id desc);
create index payout_run_unfinished on payout_run (merchant_id, id) where status in ('draft','awaiting_approval','running','paused');
create index payout_run_open on payout_run (id) where status in ('awaiting_approval','running','paused');
create index payout_run_drafted on payout_run (created_at, id) where status = 'draft';
create index payout_run_lost on payout_run (id) where run_lost;
create unique index payout_run_once on payout_run (program_id, period) where period is not null;

create table payout_run_item (
  run_id uuid not null references payout_run deferrable initially deferred,
  affiliate_id uuid not null,
  program_id uuid not null,
  currency text not null,
  -- As the draft shows it: no more than this is paid.
  amount bigint not null check (amount >= 0),
  method text check (method in ('paypal','bank_transfer')),
  rail text check (rail in ('manual','sandbox')),
  -- Masked. Null without details, and after an erasure, as the hash.
  destination text,
  -- Keyed, of the details in clear: compared when its turn comes.
  destination_hash text,
  -- planned: its turn has not come. payout: the outcome is that of the payout. left_out: nobody is paid.
  result text not null check (result in ('planned','payout','left_out')),
  reason text,
  payout_id uuid references payout deferrable initially deferred,
  -- Of the payout when it was created.
  paid_amount bigint check (paid_amount > 0 and paid_amount <= amount),
  -- How often its payout could not be created because of an error of ours.
  tries integer not null default 0,
  primary key (run_id, affiliate_id),
  check ((result = 'payout') = (payout_id is not null)),
  check ((result = 'left_out') = (reason is not null)),
  check ((payout_id is null) = (paid_amount is null))
);
create index payout_run_item_by_result on payout_run_item (run_id, result, reason, affiliate_id);
create unique index payout_run_item_of_payout on payout_run_item (payout_id) where payout_id is not null;
create index payout_run_item_of_affiliate on payout_run_item (affiliate_id);

alter table payout add foreign key (payout_run_id) references payout_run deferrable initially deferred;
