import { Migration } from '@mikro-orm/migrations';

/** Our books are compared with the lists of providers, and nothing is paid while a restored database may not know all payments. */
export class Reconciliation extends Migration {
  override async up(): Promise<void> {
    this.addSql(`create table reconciliation_run (
      id uuid primary key,
      -- Null: of an account of the installation.
      merchant_id uuid references merchant,
      rail text not null references rail,
      rail_account_id uuid references rail_account,
      trigger text not null check (trigger in ('schedule','hold','operator')),
      status text not null check (status in ('running','completed','failed')),
      problem text check (problem in ('provider_unavailable','too_many_movements','no_list','internal_error')),
      since timestamptz(3) not null,
      until timestamptz(3) not null,
      -- Everything up to here was certainly in the provider's list.
      complete_until timestamptz(3) not null,
      payments int not null default 0,
      differences int not null default 0,
      totals jsonb not null default '[]',
      created_at timestamptz(3) not null,
      ended_at timestamptz(3),
      check ((problem is null) = (status <> 'failed') and (ended_at is null) = (status = 'running'))
    )`);
    this.addSql('create index reconciliation_run_of_merchant on reconciliation_run (merchant_id, created_at desc, id desc)');
    this.addSql('create index reconciliation_run_by_time on reconciliation_run (created_at desc, id desc)');
    this.addSql(`create table reconciliation_difference (
      id uuid primary key,
      fingerprint text not null unique,
      merchant_id uuid references merchant,
      program_id uuid references program,
      rail text not null references rail,
      rail_account_id uuid references rail_account,
      kind text not null check (kind in ('missing_there','missing_here','amount','currency','state','twice','fee','destination','late','unknown_reference')),
      status text not null check (status in ('checking','open','resolved','closed')),
      payout_id uuid references payout,
      ours jsonb,
      theirs jsonb,
      -- When the payment was made.
      occurred_at timestamptz(3) not null,
      note text,
      linked_payout_id uuid references payout,
      resolved_by text,
      resolved_at timestamptz(3),
      run_id uuid not null references reconciliation_run,
      created_at timestamptz(3) not null,
      seen_at timestamptz(3) not null,
      check ((resolved_at is null) = (status in ('checking','open')))
    )`);
    this.addSql(
      'create index reconciliation_difference_of_merchant on reconciliation_difference (merchant_id, created_at desc, id desc)',
    );
    this.addSql(
      `create index reconciliation_difference_unsettled on reconciliation_difference (rail, rail_account_id, kind) where status in ('checking','open')`,
    );
    this.addSql(
      'create index reconciliation_difference_of_payout on reconciliation_difference (payout_id) where payout_id is not null',
    );
    this.addSql(`create table payments_hold (
      id uuid primary key,
      cause text not null check (cause in ('operator','failover','database_replaced','database_behind')),
      reason text,
      held_by text not null,
      held_at timestamptz(3) not null,
      lifted_by text,
      lifted_at timestamptz(3),
      note text,
      -- Merchants up to this one were told; told_at once all were.
      told_after uuid,
      told_at timestamptz(3),
      check ((lifted_at is null) = (lifted_by is null))
    )`);
    this.addSql('create unique index payments_hold_open on payments_hold ((true)) where lifted_at is null');
    this.addSql(`create table payee_hold (
      id uuid primary key references reconciliation_difference,
      -- Null: payees of all merchants on the rail, as the account is that of the installation.
      merchant_id uuid references merchant,
      rail text not null references rail,
      -- Keyed, of the address or account that was paid to; null when the provider does not say, and then the amount decides.
      receiver_hash text,
      amount bigint not null,
      currency text not null,
      -- Of the payment that the provider lists: a payout that has the same is looked up and not sent.
      idempotency_key text,
      rail_references jsonb,
      created_at timestamptz(3) not null,
      ended_at timestamptz(3),
      -- A person said that this payout is the payment.
      payout_id uuid references payout
    )`);
    this.addSql('create index payee_hold_open on payee_hold (merchant_id) where ended_at is null');
    this.addSql('create index payee_hold_key on payee_hold (idempotency_key) where idempotency_key is not null');
    this.addSql('create index payee_hold_of_payout on payee_hold (payout_id) where payout_id is not null');
    this.addSql(`create table payee_hold_payout (
      hold_id uuid not null references payee_hold,
      payout_id uuid not null references payout,
      created_at timestamptz(3) not null,
      primary key (payout_id, hold_id)
    )`);
    this.addSql('create index payee_hold_payout_of_hold on payee_hold_payout (hold_id)');
  }

  override async down(): Promise<void> {
    for (const table of ['payee_hold_payout', 'payee_hold', 'payments_hold', 'reconciliation_difference', 'reconciliation_run'])
      this.addSql(`drop table ${table}`);
  }
}
