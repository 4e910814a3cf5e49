import { Migration } from '@mikro-orm/migrations';

/** Each is a transaction of its own: payments go on between two of them. */
const BATCH = 5_000;

const NUMBERED = `with batch as (
    select o.id, m.payment_prefix || '-' || nextval('payment_number') as reference
    from (select id, merchant_id from payout where payment_reference is null order by id limit ${BATCH}) o
    join merchant m on m.id = o.merchant_id)
  update payout p set payment_reference = batch.reference, search_text = p.search_text || e'\\n' || lower(batch.reference)
  from batch where p.id = batch.id and p.payment_reference is null returning p.id`;

/** Payouts that exist get their reference, the oldest the lowest. Interrupted, it goes on where it was. */
export class ReferencesOfPayouts extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    while ((await this.execute(NUMBERED)).length > 0);
    // Checked without a lock that keeps others waiting; then the column takes it over as it is.
    await this.execute('alter table payout drop constraint if exists payout_has_reference');
    await this.execute('alter table payout add constraint payout_has_reference check (payment_reference is not null) not valid');
    await this.execute('alter table payout validate constraint payout_has_reference');
    await this.execute('alter table payout alter column payment_reference set not null');
    await this.execute('alter table payout drop constraint payout_has_reference');
    // One that was interrupted is there, and not valid.
    await this.execute('drop index concurrently if exists payout_payment_reference');
    await this.execute('create unique index concurrently payout_payment_reference on payout (payment_reference)');
  }

  override async down(): Promise<void> {
    this.addSql('drop index payout_payment_reference');
    this.addSql('alter table payout alter column payment_reference drop not null');
  }
}
