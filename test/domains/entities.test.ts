import { DatabaseSchema, SchemaComparator, type SchemaDifference } from '@mikro-orm/sql';
import { ENTITIES } from '../../src/domains/entities.ts';
import { runSql } from '../../src/local/stack/sql.ts';
import { type Orm, openOrm } from '../../src/platform/database/orm.ts';
import { createTestDatabase } from '../support/stack/database.ts';

type ChangedTable = SchemaDifference['changedTables'][string];

/** The comparator writes defaults of bigint columns in quotes. */
const unquoted = (value: string | null | undefined): string | undefined => value?.replace(/^'(\d+)'$/, '$1');

/** What entities declare. Indexes, unique constraints, checks, foreign keys, triggers and partitions belong to the migrations. */
const differencesOf = (table: ChangedTable): string[] => [
  ...Object.keys(table.addedColumns).map((column) => `${table.name}.${column}: not in the database`),
  ...Object.keys(table.removedColumns).map((column) => `${table.name}.${column}: not in the entity`),
  ...Object.values(table.changedColumns).flatMap(({ oldColumnName, fromColumn, column, changedProperties }) =>
    [...changedProperties]
      .filter((property) => property !== 'default' || unquoted(fromColumn?.default) !== unquoted(column.default))
      .map((property) => `${table.name}.${oldColumnName}: ${property}`),
  ),
  ...[table.addedIndexes, table.changedIndexes, table.removedIndexes]
    .flatMap((indexes) => Object.values(indexes))
    .filter(({ primary }) => primary)
    .map(() => `${table.name}: primary key`),
];

const compare = async (orm: Orm): Promise<string[]> => {
  const { config } = orm;
  const driver = orm.em.getDriver();
  const platform = driver.getPlatform();
  const stored = await DatabaseSchema.create(driver.getConnection(), platform, config, undefined, ['public']);
  const mapped = DatabaseSchema.fromMetadata([...orm.getMetadata().getAll().values()], platform, config);
  const difference = new SchemaComparator(platform).compare(stored, mapped);
  return [
    ...Object.values(difference.newTables).map(({ name }) => `${name}: not in the database`),
    ...Object.values(difference.removedTables).map(({ name }) => `${name}: no entity`),
    ...Object.values(difference.changedTables).flatMap(differencesOf),
  ];
};

/** How the entities differ from a migrated database that was changed. Lists of enums are compared with the checks of their columns. */
const compareAfter = async (...changes: string[]): Promise<string[]> => {
  const database = await createTestDatabase();
  await runSql(database.ownerUrl, ...changes);
  // The application does not see the checks of its tables.
  const orm = await openOrm(
    { url: database.ownerUrl, poolMax: 1, statementTimeoutMs: 10_000, connectTimeoutMs: 5_000 },
    Object.values(ENTITIES),
  );
  try {
    return await compare(orm);
  } finally {
    await orm.close(true);
    await database.drop();
  }
};

test('each table has an entity with the same columns', async () => {
  expect(await compareAfter()).toEqual([]);
});

test.each([
  ['a dropped column', 'alter table coupon drop column expires_at', 'coupon.expires_at: not in the database'],
  ['an unmapped column', 'alter table coupon add column discount int', 'coupon.discount: not in the entity'],
  ['another type', 'alter table coupon alter column code type varchar(50)', 'coupon.code: type'],
  ['another precision', 'alter table coupon alter column created_at type timestamptz', 'coupon.created_at: type'],
  ['another nullability', 'alter table coupon alter column code drop not null', 'coupon.code: nullable'],
  ['another default', 'alter table invite alter column usage_count set default 1', 'invite.usage_count: default'],
  [
    'another list of values',
    "alter table mail_progress drop constraint mail_progress_name_check, add check (name in ('activity', 'digest'))",
    'mail_progress.name: enumItems',
  ],
  [
    'another primary key',
    'alter table flag_conversion drop constraint flag_conversion_pkey, add primary key (conversion_id)',
    'flag_conversion: primary key',
  ],
  ['an unmapped table', 'create table note (id uuid primary key)', 'note: no entity'],
  ['a missing table', 'drop table script_load', 'script_load: not in the database'],
])('%s is reported', async (_, change, difference) => {
  expect(await compareAfter(change)).toEqual([difference]);
});
