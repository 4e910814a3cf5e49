import { Migration } from '@mikro-orm/migrations';

/** Payouts that wait for approval are looked through every few seconds: whoever created them may be gone. */
export class PayoutsAwaitingApproval extends Migration {
  override async up(): Promise<void> {
    this.addSql(`create index payout_awaiting_approval on payout (affiliate_id)
      where status = 'pending' and approval_required_at is not null and approved_at is null`);
  }

  override async down(): Promise<void> {
    this.addSql('drop index payout_awaiting_approval');
  }
}
