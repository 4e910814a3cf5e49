import { execute, firstRow, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';

// One connection: all statements share its prepared statements.
const api = useOwnApi({ DATABASE_POOL: '1' }, { asOwner: true });

const em = () => api.runtime.context({ kind: 'system', name: 'test' }).em;
const prepared = async (): Promise<number> =>
  (await firstRow(em(), sql<{ n: number }>`select count(*)::int as n from pg_prepared_statements`))?.n ?? 0;

it('a repeated statement is prepared, whatever its values', async () => {
  const before = await prepared();
  for (const value of [1, 2, 3, 4, 5]) {
    expect(await firstRow(em(), sql`select ${value}::int as value, 'again' as kind`)).toEqual({ value, kind: 'again' });
  }
  expect(await prepared()).toBe(before + 1);
});

it('a failed statement does not count as prepared', async () => {
  const divide = (by: number) => firstRow(em(), sql<{ result: number }>`select 10 / ${by}::int as result`);
  for (const by of [5, 5, 0, 0, 5]) {
    if (by === 0) await expect(divide(by)).rejects.toThrow('division by zero');
    else expect(await divide(by)).toEqual({ result: 2 });
  }
});

it('a migration of its table causes one failure at most', async () => {
  await em().execute('create table changing (id int); insert into changing values (1)');
  const read = () => firstRow(em(), sql<object>`select * from changing where id = ${1}`);
  for (let time = 0; time < 5; time++) expect(await read()).toEqual({ id: 1 });
  await em().execute('alter table changing add column name text');
  await read().catch(() => null);
  expect(await read()).toEqual({ id: 1, name: null });
  expect(await execute(em(), sql`update changing set name = ${'new'} where id = ${1}`)).toBe(1);
});
