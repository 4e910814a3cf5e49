import { Migration } from '@mikro-orm/migrations';

/** Rails are rows that the migrate command writes, and merchants may have accounts of their own at a provider. */
export class RailAccounts extends Migration {
  override async up(): Promise<void> {
    this.addSql('create table rail (name text primary key)');
    this.addSql(`insert into rail (name) values ('manual'), ('sandbox')`);
    this.addSql('revoke insert, update on rail from tributary_app');
    this.addSql(`
      create table rail_account (
        id uuid primary key,
        merchant_id uuid not null references merchant,
        rail text not null references rail,
        identity text not null,
        is_current boolean not null default true,
        settings jsonb not null,
        secrets text not null,
        -- Rises with each change of settings or secrets.
        revision int not null default 1,
        status text not null default 'unchecked' check (status in ('unchecked','ready','failing')),
        held_code text,
        held_since timestamptz(3),
        probes int not null default 0,
        probe_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        check ((held_code is null) = (held_since is null) and (held_code is null) = (probe_at is null))
      )`);
    this.addSql('create unique index rail_account_current on rail_account (merchant_id, rail) where is_current');
    this.addSql('create unique index rail_account_identity on rail_account (merchant_id, rail, identity)');
    this.addSql('alter table payout_attempt add column rail_account_id uuid references rail_account');
    this.addSql('alter table payout_attempt add column rail_references jsonb');
    this.addSql('create index payout_attempt_of_account on payout_attempt (rail_account_id) where rail_account_id is not null');
  }

  override async down(): Promise<void> {
    this.addSql('alter table payout_attempt drop column rail_account_id, drop column rail_references');
    this.addSql('drop table rail_account');
    this.addSql('drop table rail');
  }
}
