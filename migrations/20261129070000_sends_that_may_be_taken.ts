import { Migration } from '@mikro-orm/migrations';

/** The refusal of a resend proves nothing about the send before it. */
export class SendsThatMayBeTaken extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payout_attempt add column may_be_taken boolean not null default false');
  }

  override async down(): Promise<void> {
    this.addSql('alter table payout_attempt drop column may_be_taken');
  }
}
