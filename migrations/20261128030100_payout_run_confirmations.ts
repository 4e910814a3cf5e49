import { Migration } from '@mikro-orm/migrations';

/** Which payouts a person confirmed as paid by their digest, so that a repeat knows them when some are paid already. */
export class PayoutRunConfirmations extends Migration {
  override async up(): Promise<void> {
    this.addSql(`create table payout_run_confirmation (
      run_id uuid not null references payout_run deferrable initially deferred,
      digest text not null check (digest ~ '^[0-9a-f]{64}$'),
      payout_ids uuid[] not null check (cardinality(payout_ids) > 0),
      created_by text not null,
      created_at timestamptz(3) not null,
      primary key (run_id, digest)
    )`);
  }

  override async down(): Promise<void> {
    this.addSql('drop table payout_run_confirmation');
  }
}
