import { Migration } from '@mikro-orm/migrations';

/** With an approval threshold on, somebody new approves nothing before another one confirmed them, or some time is over. */
export class NewApprovers extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table person_role add column granted_by text, add column approves_from timestamptz(3)');
  }

  override async down(): Promise<void> {
    this.addSql('alter table person_role drop column granted_by, drop column approves_from');
  }
}
