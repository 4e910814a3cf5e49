import { Migration } from '@mikro-orm/migrations';

/** A provider may charge a payment in another currency, and convert its amount. */
export class ProviderFees extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payout_attempt add column other_fees jsonb, add column conversion jsonb');
    this.addSql('alter table payout add column fees jsonb');
  }

  override async down(): Promise<void> {
    this.addSql('alter table payout drop column fees');
    this.addSql('alter table payout_attempt drop column other_fees, drop column conversion');
  }
}
