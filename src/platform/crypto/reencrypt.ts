import type { Context } from '../context.ts';
import type { EntityManager } from '../database/orm.ts';
import { execute, firstRow, rows, sql } from '../database/sql.ts';

export interface EncryptedColumn {
  table: string;
  column: string;
  /** The primary key; its text is the `row` of the cipher context. */
  id: string;
  idType: 'uuid' | 'text' | 'bytea';
  /** A boolean column: only rows where it is true hold ciphertext. */
  where?: string;
}

export interface ColumnReport {
  column: string;
  scanned: number;
  reencrypted: number;
  /** Rows that no configured key can decrypt. They are unchanged. */
  unreadable: string[];
  /** Rows under another key that a running process was changing. */
  left: number;
}

interface Row {
  id: string;
  ciphertext: string;
}

const BATCH = 200;
const MAX_PASSES = 5;
const MAX_NAMED = 20;

/**
 * Encrypts every value under the current key, in batches that never wait for a running process, and never replace a value
 * that was changed in between. It can be interrupted and repeated at any time: values under the current key are left alone.
 */
export const reencryptColumn = async (ctx: Context, column: EncryptedColumn): Promise<ColumnReport> => {
  const total: ColumnReport = { column: `${column.table}.${column.column}`, scanned: 0, reencrypted: 0, unreadable: [], left: 0 };
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    const report = await runPass(ctx, column);
    total.scanned = report.scanned;
    total.reencrypted += report.reencrypted;
    total.unreadable = report.unreadable;
    total.left = report.left;
    if (report.left === 0) break;
  }
  return total;
};

type PassReport = Omit<ColumnReport, 'column'>;

const runPass = async (ctx: Context, column: EncryptedColumn): Promise<PassReport> => {
  const report: PassReport = { scanned: 0, reencrypted: 0, unreadable: [], left: 0 };
  for (let after: string | null = null; ; ) {
    const batch: Row[] = await rows(ctx.em, nextBatch(column, after, BATCH));
    report.scanned += batch.length;
    const old = batch.filter((row) => !ctx.cipher.isCurrent(row.ciphertext));
    const changes = old.flatMap((row) => {
      const ciphertext = encryptAgain(ctx, column, row);
      if (ciphertext === null && report.unreadable.length < MAX_NAMED) report.unreadable.push(row.id);
      return ciphertext === null ? [] : [{ ...row, replacement: ciphertext }];
    });
    const changed = changes.length === 0 ? 0 : await execute(ctx.em, replace(column, changes));
    report.reencrypted += changed;
    report.left += changes.length - changed;
    if (batch.length < BATCH) return report;
    after = batch.at(-1)?.id ?? null;
  }
};

const encryptAgain = (ctx: Context, { table, column }: EncryptedColumn, row: Row): string | null => {
  const context = { table, column, row: row.id };
  try {
    return ctx.cipher.encrypt(ctx.cipher.decrypt(row.ciphertext, context), context);
  } catch {
    return null;
  }
};

const idText = ({ id, idType }: EncryptedColumn) =>
  idType === 'bytea' ? sql`encode(${sql.ref(id)}, 'hex')` : sql`${sql.ref(id)}::text`;

const idValue = ({ idType }: EncryptedColumn, text: string) =>
  idType === 'bytea' ? sql`decode(${text}, 'hex')` : sql`${text}::${sql.raw(idType)}`;

const condition = ({ column, where }: EncryptedColumn) =>
  where === undefined ? sql`${sql.ref(column)} is not null` : sql`${sql.ref(where)}`;

const nextBatch = (column: EncryptedColumn, after: string | null, size: number) =>
  sql<Row>`select ${idText(column)} as id, ${sql.ref(column.column)} as ciphertext from ${sql.table(column.table)}
    where ${condition(column)} ${after === null ? sql`` : sql`and ${sql.ref(column.id)} > ${idValue(column, after)}`}
    order by ${sql.ref(column.id)} limit ${sql.lit(size)}`;

/** The first and the last value of a column, in the order of ids. */
export const findEnds = (ctx: Context, column: EncryptedColumn): Promise<Row[]> => {
  const end = (direction: 'asc' | 'desc') => sql`(select ${idText(column)} as id, ${sql.ref(column.column)} as ciphertext
    from ${sql.table(column.table)} where ${condition(column)} order by ${sql.ref(column.id)} ${sql.raw(direction)} limit 1)`;
  return rows(ctx.em, sql<Row>`${end('asc')} union ${end('desc')}`);
};

const replace = (column: EncryptedColumn, changes: readonly (Row & { replacement: string })[]) => {
  const values = changes.map((row) => sql`(${idValue(column, row.id)}, ${row.ciphertext}::text, ${row.replacement}::text)`);
  const table = sql.table(column.table);
  return sql`with given (id, before, after) as (values ${sql.join(values)}),
    free as (select ${sql.ref(`held.${column.id}`)} as id, given.after from ${table} held
      join given on given.id = ${sql.ref(`held.${column.id}`)} and given.before = ${sql.ref(`held.${column.column}`)} for no key update of held skip locked)
    update ${table} changed set ${sql.ref(column.column)} = free.after from free where ${sql.ref(`changed.${column.id}`)} = free.id`;
};

const CHECK_BATCH = 5_000;

/** Whether any stored value is encrypted under this key. Reads whole tables, in statements that each take milliseconds. */
export const isKeyInUse = async (em: EntityManager, columns: readonly EncryptedColumn[], keyId: string): Promise<boolean> => {
  for (const column of columns) if (await isKeyInColumn(em, column, keyId)) return true;
  return false;
};

const isKeyInColumn = async (em: EntityManager, column: EncryptedColumn, keyId: string): Promise<boolean> => {
  for (let after: string | null = null; ; ) {
    const found: Checked | null = await firstRow(
      em,
      sql<Checked>`select count(*)::int as count, bool_or(starts_with(ciphertext, ${`v1.${keyId}.`})) as used,
        (array_agg(id order by place desc))[1] as last
        from (select batch.*, row_number() over () as place from (${nextBatch(column, after, CHECK_BATCH)}) batch) checked`,
    );
    if (found?.used) return true;
    if (!found || found.count < CHECK_BATCH) return false;
    after = found.last;
  }
};

interface Checked {
  count: number;
  used: boolean | null;
  last: string | null;
}
