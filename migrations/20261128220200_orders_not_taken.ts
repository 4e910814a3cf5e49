import { Migration } from '@mikro-orm/migrations';

/** Some providers execute an order only when it comes again after they said that they did not take it. */
export class OrdersNotTaken extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payout_attempt add column not_taken boolean not null default false');
  }

  override async down(): Promise<void> {
    this.addSql('alter table payout_attempt drop column not_taken');
  }
}
