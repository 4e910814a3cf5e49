import { Migration } from '@mikro-orm/migrations';

/** Values that follow one that is there: others were added to these lists since they were made, so what they are now is extended. */
const ADDED = [
  ['audit_log', 'action', 'installation.outbox_retried', 'installation.payments_resumed'],
  ['audit_log', 'action', 'installation.outbox_retried', 'installation.payments_held'],
  ['audit_log', 'action', 'rail_account.updated', 'reconciliation_difference.resolved'],
  ['mail', 'kind', 'sale_problem', 'payments_held'],
  ['mail', 'kind', 'sale_problem', 'reconciliation'],
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

/** What is recorded and mailed about the books. Valid by a migration of its own, which reads all rows without a lock that holds up writes. */
export class ReconciliationRecords extends Migration {
  override async up(): Promise<void> {
    for (const [table, column, after, value] of ADDED)
      this.addSql(change(table, column, `replace(definition, '''${after}''::text', '''${after}''::text, ''${value}''::text')`));
  }

  override async down(): Promise<void> {
    for (const [table, column, , value] of ADDED)
      this.addSql(change(table, column, `replace(definition, ', ''${value}''::text', '')`));
  }
}
