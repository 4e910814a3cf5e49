import { Migration } from '@mikro-orm/migrations';

/** In the order of the code. What others added meanwhile stays allowed. */
const ADDED = `''cancellation_requested''::text, ''cancellation_refused''::text`;

/** A provider can be asked to cancel a payment that waits for its payee. */
export class CancellationsAtProviders extends Migration {
  override async up(): Promise<void> {
    this.addSql('alter table payout_attempt add column cancel_requested_at timestamptz(3)');
    this.addSql(`do $$
      declare
        name constant text := 'payout_timeline_type_check';
        definition text;
      begin
        select regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '') into strict definition
          from pg_constraint where conrelid = 'payout_timeline'::regclass and conname = name;
        definition := replace(definition, '''cancellation_ignored''::text', '${ADDED}, ''cancellation_ignored''::text');
        execute format('alter table payout_timeline drop constraint %I, add constraint %1$I %s not valid', name, definition);
      end $$`);
  }

  override async down(): Promise<void> {
    throw new Error('The timeline keeps every entry, so its types are never removed');
  }
}
