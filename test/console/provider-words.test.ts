import { makePerson } from '../support/people.ts';
import { payByRail, useRailApi } from '../support/rail-payouts.ts';

const api = useRailApi();

test('the page of a payout says in words what the provider said, with its own word behind', async () => {
  const payout = await payByRail(api);
  await payout.send();
  expect(await payout.report('failed', { failureCode: 'account_closed' })).toMatchObject({ status: 'failed' });
  const { token } = await makePerson(api, { merchantId: payout.merchantId });
  const headers = { host: '127.0.0.1:3000', cookie: `tributary_session_3000=${token}` };
  const { body: text } = await api.app.inject({ url: `/console/payouts/${payout.payoutId}`, headers });
  const said = 'The recipient&#39;s account is closed (account_closed)';
  expect(text).toContain(`<dt>Reason given by the provider</dt><dd>${said}</dd>`);
  expect(text).toMatch(/Failed at the provider \(account_closed\).*<td data-label="Note">The recipient&#39;s account is closed/s);
});
