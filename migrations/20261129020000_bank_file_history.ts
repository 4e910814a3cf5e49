import { Migration } from '@mikro-orm/migrations';

/** Values that follow one that is there: others may have been added to these lists, so what they are now is extended. */
const ADDED = [
  ['audit_log', 'action', 'bank_file.made', 'bank_file.reported'],
  ['audit_log', 'action', 'bank_file.discarded', 'bank_file.downloaded'],
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

/** Who downloaded a bank file, and what the bank said about it. */
export class BankFileHistory extends Migration {
  override async up(): Promise<void> {
    for (const [table, column, after, value] of ADDED)
      this.addSql(change(table, column, `replace(definition, '''${after}''::text', '''${after}''::text, ''${value}''::text')`));
  }

  override async down(): Promise<void> {
    throw new Error('The audit log keeps every entry, so its actions are never removed');
  }
}
