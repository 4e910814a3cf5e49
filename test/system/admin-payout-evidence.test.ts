import { useOwnApi } from '../support/api.ts';
import { makePayout } from '../support/payouts.ts';
import { rowsOf } from '../support/rail-payouts.ts';
import { operatorEnv, runProgram } from '../support/run-program.ts';

const api = useOwnApi();

it('payout-evidence prints the calls to the provider, and the merchant sees that they were read', async () => {
  const { payoutId, key } = await makePayout(api);
  const { cipher, ids } = api.runtime.context({ kind: 'system', name: 'test' });
  const id = ids.next();
  const call = { at: '2026-03-02T07:00:00.000Z', method: 'POST', path: '/payments', request: '{"amount":1200}', status: 200 };
  const content = JSON.stringify([
    { ...call, headers: { 'paypal-debug-id': 'f00' }, response: '{"state":"DONE"}', problem: null },
  ]);
  await rowsOf(api, 'insert into payout_evidence (id, payout_id, attempt, content, created_at) values (?, ?, 1, ?, now())', [
    id,
    payoutId,
    cipher.encrypt(content, { table: 'payout_evidence', column: 'content', row: id }),
  ]);
  const env = operatorEnv(api.runtime.config.DATABASE_URL);
  const printed = await runProgram(['bin/admin.ts', 'payout-evidence', '--payout', payoutId, '--json'], env);
  expect([printed.code, printed.err]).toEqual([0, '']);
  expect(JSON.parse(printed.out)).toMatchObject({ payoutId, exchanges: [{ attempt: 1, calls: JSON.parse(content) }] });
  const log = await api.call('GET', '/audit-log', { key });
  expect(log.data[0]).toMatchObject({ action: 'payout.evidence_read', resourceId: payoutId, actor: 'system:operator' });
});
