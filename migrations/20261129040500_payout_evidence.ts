import { Migration } from '@mikro-orm/migrations';

const change = (definition: string): string => `do $$
  declare
    definition text;
  begin
    select regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '') into strict definition
      from pg_constraint where conrelid = 'audit_log'::regclass and conname = 'audit_log_action_check';
    execute format('alter table audit_log drop constraint audit_log_action_check, add constraint audit_log_action_check %s not valid', ${definition});
  end $$`;

/** What was sent to providers and what they answered, encrypted, for a dispute with one of them. */
export class PayoutEvidence extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table payout_evidence (
        id uuid primary key,
        payout_id uuid not null references payout,
        attempt int not null,
        content text not null check (length(content) <= 400000),
        created_at timestamptz(3) not null
      )`);
    this.addSql('create index payout_evidence_of_payout on payout_evidence (payout_id, id)');
    this.addSql(
      change(
        `replace(definition, '''payout_run.approved''::text', '''payout.evidence_read''::text, ''payout_run.approved''::text')`,
      ),
    );
  }

  override async down(): Promise<void> {
    this.addSql(change(`replace(definition, '''payout.evidence_read''::text, ', '')`));
    this.addSql('drop table payout_evidence');
  }
}
