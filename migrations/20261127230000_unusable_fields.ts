import { Migration } from '@mikro-orm/migrations';

/** A sale whose evidence cannot be used is recorded, and the fields are a problem for a person. */
export class UnusableFields extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table sale_problem add column fields text[]');
    this.addSql(`alter table sale_problem drop constraint sale_problem_reason_check, add constraint sale_problem_reason_check
      check (reason in ('UNREADABLE','PAYLOAD_MISMATCH','REJECTED','BEFORE_SALE','OTHER_CURRENCY','UNUSABLE_FIELDS'))`);
  }

  override async down(): Promise<void> {
    throw new Error('Problems with the new reason would not fit: restore a backup instead');
  }
}
