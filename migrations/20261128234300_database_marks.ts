import { Migration } from '@mikro-orm/migrations';

/** The relay marks how far the outbox came, so that a restored database is noticed. */
export class DatabaseMarks extends Migration {
  override async up(): Promise<void> {
    this.addSql('grant select on sequence outbox_seq_seq to tributary_app');
  }

  override async down(): Promise<void> {
    this.addSql('revoke select on sequence outbox_seq_seq from tributary_app');
  }
}
