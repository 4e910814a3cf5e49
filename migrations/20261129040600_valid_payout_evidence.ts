import { Migration } from '@mikro-orm/migrations';

/** In a transaction of its own: all rows are read, while others write. */
export class ValidPayoutEvidence extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table audit_log validate constraint audit_log_action_check');
  }

  /** A valid constraint needs nothing undone. */
  override async down(): Promise<void> {}
}
