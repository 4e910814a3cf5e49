import { Migration } from '@mikro-orm/migrations';

/** Orders of an account keep to the pace of its provider. */
export class PaceOfAccounts extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table rail_account add column paced_at timestamptz(3)');
  }

  override async down(): Promise<void> {
    this.addSql('alter table rail_account drop column paced_at');
  }
}
