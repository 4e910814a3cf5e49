import { Migration } from '@mikro-orm/migrations';

/** The session of somebody whom an invite made opens one company. */
export class SessionsOfOneCompany extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table person_session add column only_merchant_id uuid');
  }

  override async down(): Promise<void> {
    this.addSql('alter table person_session drop column only_merchant_id');
  }
}
