import { Migration } from '@mikro-orm/migrations';

/** In a transaction of its own: all rows are read, while others write. */
export class ValidMailsOfPaymentsToClaim extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table mail validate constraint mail_kind_check');
  }

  /** A valid constraint needs nothing undone. */
  override async down(): Promise<void> {}
}
