import { Migration } from '@mikro-orm/migrations';

const PAID_AT = 'coalesce(executed_at, rail_paid_at, completed_at)';

/** Payouts are selected by when they were paid, and no longer by when that was recorded. */
export class PaymentTimes extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payout add column rail_paid_at timestamptz(3)');
    this.addSql('drop index payout_paid, payout_paid_by_status');
    this.addSql(`create index payout_paid on payout (merchant_id, (${PAID_AT}) desc, id desc) where ${PAID_AT} is not null`);
    this.addSql(
      `create index payout_paid_by_status on payout (merchant_id, status, (${PAID_AT}) desc, id desc) where ${PAID_AT} is not null`,
    );
  }

  override async down(): Promise<void> {
    this.addSql('drop index payout_paid, payout_paid_by_status');
    this.addSql('create index payout_paid on payout (merchant_id, completed_at desc, id desc) where completed_at is not null');
    this.addSql(
      'create index payout_paid_by_status on payout (merchant_id, status, completed_at desc, id desc) where completed_at is not null',
    );
    this.addSql('alter table payout drop column rail_paid_at');
  }
}
