import { Migration } from '@mikro-orm/migrations';

/** Payouts refer to the rows of rails. Rows that are stored already are checked by the next migration, which locks nobody out. */
export class PayoutRails extends Migration {
  override async up(): Promise<void> {
    for (const table of ['payout', 'payout_run_item']) {
      this.addSql(`alter table ${table} add constraint ${table}_rail_fkey foreign key (rail) references rail not valid`);
      this.addSql(`alter table ${table} drop constraint ${table}_rail_check`);
    }
  }

  override async down(): Promise<void> {
    for (const table of ['payout', 'payout_run_item']) {
      this.addSql(`alter table ${table} add constraint ${table}_rail_check check (rail in ('manual','sandbox'))`);
      this.addSql(`alter table ${table} drop constraint ${table}_rail_fkey`);
    }
  }
}
