import { Migration } from '@mikro-orm/migrations';

/** In a transaction of its own: all rows are read, while others write. */
export class ValidReconciliationRecords extends Migration {
  override async up(): Promise<void> {
    for (const [table, column] of [
      ['audit_log', 'action'],
      ['mail', 'kind'],
    ])
      this.addSql(`alter table ${table} validate constraint ${table}_${column}_check`);
  }

  /** A valid constraint needs nothing undone. */
  override async down(): Promise<void> {}
}
