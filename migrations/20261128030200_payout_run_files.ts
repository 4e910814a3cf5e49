import { Migration } from '@mikro-orm/migrations';

/** Which payouts a payment file of a run holds: its URL gives out this file and no other. */
export class PayoutRunFiles extends Migration {
  override async up(): Promise<void> {
    this.addSql(`create table payout_run_file (
      id uuid primary key,
      run_id uuid not null references payout_run deferrable initially deferred,
      format text not null check (format in ('csv','paypal','wise')),
      payout_ids uuid[] not null check (cardinality(payout_ids) > 0),
      created_by text not null,
      created_at timestamptz(3) not null
    )`);
    this.addSql('create index payout_run_file_of_run on payout_run_file (run_id, created_at)');
  }

  override async down(): Promise<void> {
    this.addSql('drop table payout_run_file');
  }
}
