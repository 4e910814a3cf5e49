import { Migration } from '@mikro-orm/migrations';

/** Adds values before one that is there: others may have been added to these lists, so what they are now is extended. */
const allow = (table: string, column: string, values: readonly string[], before: string): string => {
  const added = values.map((value) => `''${value}''::text, `).join('');
  return `
      do $$
      declare
        name constant text := '${table}_${column}_check';
        definition text;
      begin
        select regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '') into strict definition
          from pg_constraint where conrelid = '${table}'::regclass and conname = name;
        definition := replace(definition, '''${before}''::text', '${added}''${before}''::text');
        execute format('alter table ${table} drop constraint %I, add constraint %1$I %s not valid', name, definition);
      end $$`;
};

/**
 * Files that a bank executes, what banks say about them, and what banks booked. New values are valid by a migration of its own, which reads all
 * rows without a lock that holds up writes.
 */
export class BankFiles extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table bank_file (
        id uuid primary key,
        merchant_id uuid not null references merchant,
        rail text not null references rail,
        rail_account_id uuid not null references rail_account,
        n int not null check (n > 0),
        message_id text not null check (length(message_id) <= 35),
        status text not null check (status in ('making','ready','discarding','discarded')),
        execution_date text not null,
        is_instant boolean not null,
        is_single boolean not null,
        payout_run_id uuid references payout_run,
        payments int not null default 0,
        total bigint not null default 0,
        currency text not null,
        digest text,
        content text,
        bank_state text,
        bank_state_at timestamptz(3),
        accepted_at timestamptz(3),
        created_by text not null,
        created_at timestamptz(3) not null,
        ready_at timestamptz(3),
        downloads int not null default 0,
        downloaded_by text[] not null default '{}',
        downloaded_at timestamptz(3),
        handed_over_at timestamptz(3),
        worked_at timestamptz(3) not null,
        discarded_by text,
        discarded_at timestamptz(3),
        discard_note text,
        check (status = 'making' or digest is not null)
      )`);
    // One without payments is removed, so that its number is used.
    this.addSql('grant delete on bank_file to tributary_app');
    this.addSql('create unique index bank_file_number on bank_file (rail_account_id, n)');
    this.addSql('create unique index bank_file_message on bank_file (merchant_id, message_id)');
    this.addSql(`create unique index bank_file_making on bank_file (rail_account_id) where status = 'making'`);
    this.addSql('create index bank_file_newest on bank_file (merchant_id, created_at, id)');
    this.addSql('create index bank_file_of_run on bank_file (payout_run_id) where payout_run_id is not null');
    this.addSql(`create index bank_file_unfinished on bank_file (worked_at) where status in ('making','discarding')`);
    this.addSql(`
      create table bank_file_line (
        id uuid primary key,
        file_id uuid not null references bank_file,
        position int not null,
        payout_id uuid not null references payout,
        attempt_id uuid not null references payout_attempt,
        amount bigint not null check (amount > 0),
        state text,
        reason text,
        payee_check text,
        suggested_name text,
        changed_at timestamptz(3)
      )`);
    // One that ended before its file was whole is taken out.
    this.addSql('grant delete on bank_file_line to tributary_app');
    this.addSql('create unique index bank_file_line_position on bank_file_line (file_id, position)');
    this.addSql('create unique index bank_file_line_attempt on bank_file_line (attempt_id)');
    this.addSql('create index bank_file_line_payout on bank_file_line (payout_id)');
    this.addSql(`
      create table bank_statement (
        id uuid primary key,
        merchant_id uuid not null references merchant,
        digest text not null,
        kind text not null check (kind in ('status','statement')),
        message_id text,
        is_applied boolean not null default false,
        report jsonb not null,
        statements jsonb not null,
        imported_by text not null,
        created_at timestamptz(3) not null
      )`);
    this.addSql('create unique index bank_statement_digest on bank_statement (merchant_id, digest)');
    this.addSql('create index bank_statement_newest on bank_statement (merchant_id, created_at, id)');
    this.addSql(`
      create table bank_booking (
        id uuid primary key,
        merchant_id uuid not null references merchant,
        rail_account_id uuid not null references rail_account,
        key text not null,
        entry_ref text,
        booked_on text not null,
        direction text not null check (direction in ('debit','credit')),
        is_reversal boolean not null,
        is_return boolean not null,
        amount bigint not null,
        currency text not null,
        idempotency_key text,
        reason text,
        payout_id uuid references payout,
        file_id uuid references bank_file,
        problem text check (problem in ('unknown_payment','unknown_file','other_amount','no_reason')),
        created_at timestamptz(3) not null
      )`);
    this.addSql('create unique index bank_booking_key on bank_booking (rail_account_id, key)');
    this.addSql('create index bank_booking_day on bank_booking (rail_account_id, booked_on)');
    this.addSql('create index bank_booking_unmatched on bank_booking (merchant_id, created_at, id) where problem is not null');
    this.addSql(
      allow('payout_timeline', 'type', ['file_made', 'file_downloaded', 'file_discarded', 'payee_checked'], 'attempt_sent'),
    );
    this.addSql(
      allow('audit_log', 'action', ['bank_file.discarded', 'bank_file.made', 'bank_statement.imported'], 'coupon.created'),
    );
  }

  override async down(): Promise<void> {
    throw new Error('The timeline keeps every entry, so its types are never removed');
  }
}
