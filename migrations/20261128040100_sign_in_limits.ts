import { Migration } from '@mikro-orm/migrations';

/** Links and codes of people who are signed in, and those beyond a limit, do not count against whoever has the mailbox. */
export class SignInLimits extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table sign_in add column session_id uuid, add column is_for_nobody boolean not null default false');
  }

  override async down(): Promise<void> {
    this.addSql('alter table sign_in drop column session_id, drop column is_for_nobody');
  }
}
