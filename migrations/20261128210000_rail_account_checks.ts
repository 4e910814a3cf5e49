import { Migration } from '@mikro-orm/migrations';

/** Values that follow one that is there: others may have been added to these lists, so what they are now is extended. */
const ADDED = [
  ['audit_log', 'action', 'program.updated', 'rail_account.updated'],
  ['audit_log', 'action', 'program.updated', 'rail_account.disconnected'],
  ['audit_log', 'action', 'program.updated', 'rail_account.connected'],
  ['audit_log', 'action', 'program.updated', 'rail_account.checked'],
] as const;

const change = (table: string, column: string, definition: string): string => `do $$
  declare
    name constant text := '${table}_${column}_check';
    definition text;
  begin
    select regexp_replace(pg_get_constraintdef(oid), ' NOT VALID$', '') into strict definition
      from pg_constraint where conrelid = '${table}'::regclass and conname = name;
    definition := ${definition};
    execute format('alter table ${table} drop constraint %I, add constraint %1$I %s not valid', name, definition);
  end $$`;

/** What providers say about accounts of merchants, and which rail a merchant pays a method by. */
export class RailAccountChecks extends Migration {
  override async up(): Promise<void> {
    this.addSql(`alter table rail_account alter column secrets drop not null,
      add column findings jsonb, add column balances jsonb,
      add column checked_at timestamptz(3), add column unanswered_at timestamptz(3)`);
    // One without secrets is disconnected, and pays nothing.
    this.addSql('alter table rail_account add constraint rail_account_connected check (secrets is not null or not is_current)');
    this.addSql('alter table merchant add column payout_rails jsonb');
    for (const [table, column, after, value] of ADDED)
      this.addSql(change(table, column, `replace(definition, '''${after}''::text', '''${after}''::text, ''${value}''::text')`));
  }

  override async down(): Promise<void> {
    for (const [table, column, , value] of ADDED)
      this.addSql(change(table, column, `replace(definition, ', ''${value}''::text', '')`));
    this.addSql('alter table merchant drop column payout_rails');
    this.addSql(`alter table rail_account drop constraint rail_account_connected, drop column findings, drop column balances,
      drop column checked_at, drop column unanswered_at`);
    this.addSql('delete from rail_account where secrets is null');
    this.addSql('alter table rail_account alter column secrets set not null');
  }
}
