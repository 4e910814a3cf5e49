import { forkOf } from '../../../src/platform/database/orm.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { useTestApi } from '../../support/api.ts';
import { makeAffiliate, makeMerchant, makeProgram } from '../../support/factories.ts';

const api = useTestApi();

test('block and unblock each emit one event with the affiliate as REST returns it', async () => {
  const { merchantId, key } = await makeMerchant(api.runtime);
  const { programId } = await makeProgram(api, key);
  const { affiliateId } = await makeAffiliate(api.runtime, programId);
  const act = (what: string) => api.call('POST', `/affiliates/${affiliateId}/${what}`, { key });
  await act('unblock');
  const blocked = await act('block');
  await act('block');
  const unblocked = await act('unblock');
  await act('unblock');
  const found = await rows(
    forkOf(api.runtime.orm),
    sql<{ body: string }>`select convert_from(body, 'UTF8') as body from webhook_event
      where merchant_id = ${merchantId}::uuid and type like 'affiliate.%blocked' order by id`,
  );
  expect(found.map((row) => JSON.parse(row.body))).toEqual([
    expect.objectContaining({ type: 'affiliate.blocked', programId, data: blocked.data }),
    expect.objectContaining({ type: 'affiliate.unblocked', programId, data: unblocked.data }),
  ]);
});
