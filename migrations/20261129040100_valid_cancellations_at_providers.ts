import { Migration } from '@mikro-orm/migrations';

/** In a transaction of its own: all rows are read, while others write. */
export class ValidCancellationsAtProviders extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payout_timeline validate constraint payout_timeline_type_check');
  }

  /** A valid constraint needs nothing undone. */
  override async down(): Promise<void> {}
}
