import { Migration } from '@mikro-orm/migrations';

/** Files that a program carries to the bank: first they are promised to it, then they stand in its folder. */
export class BankFolders extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table bank_file add column outbox_at timestamptz(3)');
    this.addSql(
      `create index bank_file_not_in_outbox on bank_file (merchant_id, ready_at) where status = 'ready' and outbox_at is null`,
    );
  }

  override async down(): Promise<void> {
    this.addSql('drop index bank_file_not_in_outbox');
    this.addSql('alter table bank_file drop column outbox_at');
  }
}
