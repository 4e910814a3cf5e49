import { type Context, inTransaction } from '../../../src/platform/context.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { openTestApi } from '../../support/api.ts';
import { makePayable } from '../../support/factories.ts';
import { useForFile } from '../../support/use-for-file.ts';

/** As the owner of the tables: the rights of the application refuse changes already. */
const api = useForFile(() => openTestApi({}, { asOwner: true }));

type Payable = Awaited<ReturnType<typeof makePayable>>;

/** What the database refuses when the transaction ends, or null. */
const refusalOf = async (work: (ctx: Context) => Promise<unknown>): Promise<string | null> =>
  inTransaction(api.runtime.context({ kind: 'system', name: 'test' }), work).then(
    () => null,
    (error: Error) => error.message,
  );

/** Entries of one transaction: money from the program to its affiliate. */
const post = (of: Payable, amounts: readonly [number, number], bookedOn = '2026-01-15') =>
  refusalOf((ctx) => {
    const { merchantId, programId, affiliateId, conversionId } = of;
    const transaction = ctx.ids.next();
    return execute(
      ctx.em,
      sql`insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
        select ${transaction}::uuid, 'adjustment', side.account, side.owner_id, ${programId}::uuid, ${merchantId}::uuid, 'usd', side.amount,
          ${conversionId}::uuid, ${bookedOn}::date, now()
        from (values ('merchant_expense', ${programId}::uuid, ${amounts[0]}::bigint), ('payable', ${affiliateId}::uuid, ${amounts[1]}::bigint))
          as side (account, owner_id, amount)`,
    );
  });

test('the database refuses a transaction whose entries do not add up to zero', async () => {
  const of = await makePayable(api);
  expect(await post(of, [-500, 500])).toBeNull();
  expect(await post(of, [-500, 499])).toMatch(/does not sum to zero/);
  expect(await post(of, [500, 500])).toMatch(/does not sum to zero/);
});

test('the database refuses every change of an entry', async () => {
  const { programId } = await makePayable(api);
  const changes = [
    sql`update ledger_entry set amount = amount + 1 where program_id = ${programId}::uuid`,
    sql`delete from ledger_entry where program_id = ${programId}::uuid`,
    sql`truncate ledger_entry`,
  ];
  const refusals = [];
  for (const change of changes) refusals.push(await refusalOf((ctx) => execute(ctx.em, change)));
  expect(refusals).toEqual(changes.map(() => expect.stringMatching(/ledger_entry rows are never changed/)));
});

test('the database refuses an entry in a closed month', async () => {
  const of = await makePayable(api);
  const month = '2025-11-01';
  const closed = await refusalOf((ctx) =>
    execute(
      ctx.em,
      sql`insert into ledger_period (id, merchant_id, month, closed_at, closed_by)
        values (${ctx.ids.next()}::uuid, ${of.merchantId}::uuid, ${month}::date, now(), 'system:test')`,
    ),
  );
  expect(closed).toBeNull();
  expect(await post(of, [-500, 500], '2025-11-30')).toMatch(/month of a ledger entry is closed/);
  expect(await post(of, [-500, 500], '2025-12-01')).toBeNull();
});
