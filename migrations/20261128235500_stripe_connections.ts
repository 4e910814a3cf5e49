import { Migration } from '@mikro-orm/migrations';

/** Accounts at Stripe that affiliates connected to the account of a merchant, where they are paid instead of to their payout details. */
export class StripeConnections extends Migration {
  override async up(): Promise<void> {
    this.addSql(`insert into rail (name) values ('stripe_connect') on conflict do nothing`);
    this.addSql(`
      create table stripe_connection (
        id uuid primary key,
        profile_id uuid not null references affiliate_profile,
        merchant_id uuid not null references merchant,
        rail_account_id uuid not null references rail_account,
        country text not null,
        account_id text,
        state text not null default 'pending' check (state in ('pending','ready','restricted')),
        requirements text[] not null default '{}',
        has_to_wait boolean not null,
        ready_at timestamptz(3),
        disconnected_at timestamptz(3),
        changed_at timestamptz(3),
        cooldown_until timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        check (ready_at is null or (account_id is not null and disconnected_at is null))
      )`);
    this.addSql(
      'create unique index stripe_connection_of_profile on stripe_connection (profile_id, merchant_id, rail_account_id)',
    );
    this.addSql('create unique index stripe_connection_account on stripe_connection (rail_account_id, account_id)');
    // It ends with its owner's profile.
    this.addSql('grant delete on stripe_connection to tributary_app');
  }

  override async down(): Promise<void> {
    this.addSql('drop table stripe_connection');
  }
}
