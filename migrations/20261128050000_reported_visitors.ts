import { Migration } from '@mikro-orm/migrations';

/** Whom a server reported from its address in a minute, so that it is not taken for one visitor. */
export class ReportedVisitors extends Migration {
  override async up(): Promise<void> {
    this.addSql(`alter table click_minute add column visitors text[] not null default '{}'`);
  }

  override async down(): Promise<void> {
    this.addSql('alter table click_minute drop column visitors');
  }
}
