import { Migration } from '@mikro-orm/migrations';

/** In a transaction of its own: with the one that adds the constraints, the tables would be locked while all their rows are read. */
export class ValidPayoutRails extends Migration {
  override async up(): Promise<void> {
    for (const table of ['payout', 'payout_run_item']) this.addSql(`alter table ${table} validate constraint ${table}_rail_fkey`);
  }

  /** A valid constraint needs nothing undone. */
  override async down(): Promise<void> {}
}
