import { Migration } from '@mikro-orm/migrations';

/** Who entered the account that a payout pays to, and which payouts paid to one account. */
export class MakersOfPayouts extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table affiliate add column account_entered_by text, add column account_entered_at timestamptz(3)');
    this.addSql(`alter table payout add column destination_hash text, add column account_entered_by text,
      add column account_entered_at timestamptz(3)`);
    this.addSql(`create index payout_to_destination on payout (merchant_id, destination_hash, created_at)
      where status = 'completed' and destination_hash is not null`);
    this.addSql(`create index payout_paid_to_affiliate on payout (affiliate_id, created_at)
      where status = 'completed' and destination_hash is null`);
  }

  override async down(): Promise<void> {
    this.addSql('drop index payout_to_destination, payout_paid_to_affiliate');
    this.addSql(
      'alter table payout drop column destination_hash, drop column account_entered_by, drop column account_entered_at',
    );
    this.addSql('alter table affiliate drop column account_entered_by, drop column account_entered_at');
  }
}
