import { Migration } from '@mikro-orm/migrations';

/** Providers notify about accounts of merchants, and some say no more than that something happened. Attempts keep the provider's own state. */
export class NoticesOfAccounts extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table rail_notification alter column status drop not null');
    this.addSql(`
      alter table rail_notification
        add column is_hint boolean not null default false,
        add column state text,
        add column rail_references jsonb,
        add column merchant_id uuid`);
    this.addSql('alter table payout_attempt add column rail_state text, add column rail_state_at timestamptz(3)');
  }

  override async down(): Promise<void> {
    this.addSql('alter table payout_attempt drop column rail_state, drop column rail_state_at');
    this.addSql(`delete from rail_notification where status is null`);
    this.addSql(`
      alter table rail_notification
        drop column is_hint, drop column state, drop column rail_references, drop column merchant_id`);
    this.addSql('alter table rail_notification alter column status set not null');
  }
}
