import { Migration } from '@mikro-orm/migrations';

/** In a transaction of its own: all rows are read, while others write. */
export class ValidBankFiles extends Migration {
  override async up(): Promise<void> {
    for (const [table, column] of [
      ['payout_timeline', 'type'],
      ['audit_log', 'action'],
    ])
      this.addSql(`alter table ${table} validate constraint ${table}_${column}_check`);
  }

  /** A valid constraint needs nothing undone. */
  override async down(): Promise<void> {}
}
