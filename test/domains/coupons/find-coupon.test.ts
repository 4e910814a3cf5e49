import { findCoupon } from '../../../src/domains/coupons/index.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { createCoupon, makeProgramWithAffiliate } from '../../api/coupons/support.ts';
import { useTestApi } from '../../support/api.ts';

const api = useTestApi();
const context = () => api.runtime.context({ kind: 'system', name: 'test' });

interface Times {
  created: string;
  expires?: string;
  deleted?: string;
}

const makeCoupon = async (times: Times) => {
  const program = await makeProgramWithAffiliate(api);
  return { ...program, id: await addCoupon(program, times) };
};

/** A coupon ADA20 with these times. */
const addCoupon = async (
  { key, programId, affiliateId }: Awaited<ReturnType<typeof makeProgramWithAffiliate>>,
  { created, expires, deleted }: Times,
): Promise<string> => {
  const { data } = await createCoupon(api, key, programId, { affiliateId, code: 'ADA20' });
  await execute(
    context().em,
    sql`update coupon set created_at = ${created}::timestamptz, expires_at = ${expires ?? null}::timestamptz,
        deleted_at = ${deleted ?? null}::timestamptz where id = ${data.id}::uuid`,
  );
  return data.id;
};

const find = (programId: string, at: string, code = 'ADA20') => findCoupon(context(), programId, code, new Date(at));

test('a coupon is valid from its creation until it expires, in any case', async () => {
  const { programId, affiliateId, id } = await makeCoupon({ created: '2026-01-10T00:00:00Z', expires: '2026-01-20T00:00:00Z' });
  expect(await find(programId, '2026-01-09T23:59:59.999Z')).toBeNull();
  expect(await find(programId, '2026-01-10T00:00:00Z', 'ada20')).toEqual({ id, affiliateId });
  expect(await find(programId, '2026-01-19T23:59:59.999Z', 'Ada20')).toEqual({ id, affiliateId });
  expect(await find(programId, '2026-01-20T00:00:00Z')).toBeNull();
});

test('a deleted coupon is valid for sales before its deletion, and its successor for those after', async () => {
  const made = await makeCoupon({ created: '2026-01-10T00:00:00Z', deleted: '2026-01-15T00:00:00Z' });
  const successor = await addCoupon(made, { created: '2026-01-16T00:00:00Z' });
  expect(await find(made.programId, '2026-01-14T23:59:59.999Z')).toMatchObject({ id: made.id });
  expect(await find(made.programId, '2026-01-15T00:00:00Z')).toBeNull();
  expect(await find(made.programId, '2026-01-16T00:00:00Z')).toMatchObject({ id: successor });
});

test('a coupon belongs to one program, and codes are compared as a whole', async () => {
  const { programId } = await makeCoupon({ created: '2026-01-10T00:00:00Z' });
  const other = await makeProgramWithAffiliate(api);
  const at = '2026-01-11T00:00:00Z';
  expect(await find(other.programId, at)).toBeNull();
  for (const code of ['ADA2', 'ADA200', 'ADA%', 'ADA_0', '', ' ADA20']) expect(await find(programId, at, code)).toBeNull();
});
