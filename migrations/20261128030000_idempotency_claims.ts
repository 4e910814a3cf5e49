import { Migration } from '@mikro-orm/migrations';

/** A claim is a record without a response: work that commits several transactions has begun. */
export class IdempotencyClaims extends Migration {
  override async up(): Promise<void> {
    this.addSql(`alter table idempotency_record alter column status drop not null, alter column body drop not null,
      add constraint idempotency_record_response check ((status is null) = (body is null)) not valid`);
    this.addSql('alter table idempotency_record validate constraint idempotency_record_response');
  }

  override async down(): Promise<void> {
    this.addSql('delete from idempotency_record where status is null');
    this.addSql(`alter table idempotency_record drop constraint idempotency_record_response,
      alter column status set not null, alter column body set not null`);
  }
}
