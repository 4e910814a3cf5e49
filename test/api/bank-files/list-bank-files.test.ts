import { useTestApi } from '../../support/api.ts';
import { makeBankPayouts } from './support.ts';

const api = useTestApi();

test('files are listed, newest first, by state', async () => {
  const { make, call, payoutIds } = await makeBankPayouts(api, ['Ada A', 'Bob B']);
  for (const payoutId of payoutIds) await make({ payoutId });
  const { data } = await call('GET', '/bank-files');
  expect(data.map(({ messageId }: { messageId: string }) => messageId.slice(9, 15))).toEqual(['000002', '000001']);
  expect((await call('GET', '/bank-files?status=discarded')).data).toEqual([]);
});
