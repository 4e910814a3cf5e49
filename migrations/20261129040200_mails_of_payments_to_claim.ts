import { Migration } from '@mikro-orm/migrations';

const change = (definition: string): string => `do $$
  declare
    definition text;
  begin
    select regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '') into strict definition
      from pg_constraint where conrelid = 'mail'::regclass and conname = 'mail_kind_check';
    execute format('alter table mail drop constraint mail_kind_check, add constraint mail_kind_check %s not valid', ${definition});
  end $$`;

/** Payees are told to claim a payment that waits at its provider. Other kinds may have been added, so the list is extended. */
export class MailsOfPaymentsToClaim extends Migration {
  override async up(): Promise<void> {
    this.addSql(change(`replace(definition, '''payout_failed''::text', '''payout_failed''::text, ''payout_to_claim''::text')`));
  }

  override async down(): Promise<void> {
    this.addSql(change(`replace(definition, ', ''payout_to_claim''::text', '')`));
  }
}
