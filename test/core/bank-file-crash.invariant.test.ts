import { verifyLedger } from '../../src/domains/ledger/index.ts';
import { readPaymentFile } from '../../src/local/bank-double/payment-file.ts';
import type { FaultPoint } from '../../src/platform/fault-points.ts';
import { DAY, makeBankPayouts } from '../api/bank-files/support.ts';
import { send } from '../chaos/support/client.ts';
import { operator } from '../chaos/support/settled.ts';
import { useTestCluster } from '../chaos/support/test-cluster.ts';
import { unique } from '../support/factories.ts';
import { rowsOf } from '../support/rail-payouts.ts';

const cluster = useTestCluster();

type Made = Awaited<ReturnType<typeof makeBankPayouts>>;
/** Those of folders, which workers reach, have a test of their own. */
type Point = Exclude<
  Extract<FaultPoint, `bank:${string}` | 'bulk:after-page'>,
  'bank:after-promise' | 'bank:after-show' | 'bank:before-move'
>;

interface Scenario {
  /** Before the crash; returns the request that dies. */
  begin(made: Made): Promise<{ method: 'GET' | 'POST'; path: string; body?: unknown }>;
  /** What the payouts are after everything was repeated. */
  ends: string;
}

const makeOne: Scenario = {
  begin: async () => ({ method: 'POST', path: '/bank-files', body: {} }),
  ends: 'at_bank',
};

const discardOne: Scenario = {
  async begin({ make }) {
    const { id } = (await make()).data.files[0];
    return { method: 'POST', path: `/bank-files/${id}/discard`, body: { note: 'Never uploaded' } };
  },
  ends: 'failed',
};

const handOut: Scenario = {
  async begin({ make }) {
    const { id } = (await make()).data.files[0];
    return { method: 'GET', path: `/bank-files/${id}/content` };
  },
  ends: 'at_bank',
};

const importOne: Scenario = {
  async begin({ bank, makeAndSend }) {
    const { file } = await makeAndSend();
    const [, booked] = bank.execute(file.messageId, DAY);
    return { method: 'POST', path: '/bank-files/statements', body: { content: booked?.bytes.toString() } };
  },
  ends: 'paid',
};

/** Each point of bank files with the requests that reach it. */
const SCENARIOS: Readonly<Record<Point, readonly Scenario[]>> = {
  'bank:after-begin': [makeOne],
  'bank:after-finish': [makeOne],
  'bank:after-mark': [discardOne],
  'bank:after-handout': [handOut],
  'bank:before-import': [importOne],
  'bulk:after-page': [makeOne, discardOne, handOut, importOne],
};

const CASES = Object.entries(SCENARIOS).flatMap(([point, scenarios]) =>
  scenarios.map((scenario) => ({ point, scenario, what: `${scenario.ends} at ${point}` })),
);

/** Files of a merchant with their payouts. */
const filesOf = (merchantId: string) =>
  rowsOf(
    cluster,
    `select f.id, f.status, f.payments, coalesce(array_agg(l.payout_id) filter (where l.id is not null), '{}') as payouts
      from bank_file f left join bank_file_line l on l.file_id = f.id where f.merchant_id = ? group by f.id`,
    [merchantId],
  );

const sweep = async (merchantId: string): Promise<void> => {
  await rowsOf(cluster, `update bank_file set worked_at = worked_at - interval '1 hour' where merchant_id = ? returning id`, [
    merchantId,
  ]);
  await cluster.runtime.finishAbandonedFiles(operator(cluster.runtime));
};

it.each(CASES)('an API that dies leaves no payout in half a file, in none or in two: $what', async ({ point, scenario }) => {
  const made = await makeBankPayouts(cluster, ['Ada A', 'Bob B', 'Cy C']);
  const { key, merchantId, payoutIds, call, content, states, timeline } = made;
  const { method, path, body } = await scenario.begin(made);
  const api = await cluster.startApi({ faults: point });
  const order = { key, path, body, idempotencyKey: unique() };
  expect(await send(api.url, method === 'POST' ? order : { ...order, method })).toMatchObject({ kind: 'interrupted' });
  await api.ended();

  await sweep(merchantId);
  const unfinished = (await filesOf(merchantId)).filter(({ status }) => status === 'making' || status === 'discarding');
  expect(unfinished).toEqual([]);
  const again = await call(method, path, body);
  expect([200, 201, 409]).toContain(again.status);
  if (again.status === 409) expect(again.error.details.reason).toBe('NOTHING_TO_PUT_INTO_FILE');
  expect(await states()).toEqual(payoutIds.map(() => scenario.ends));

  const files = await filesOf(merchantId);
  expect(files.flatMap(({ payouts }) => payouts).toSorted()).toEqual(payoutIds.toSorted());
  for (const { id, status, payments, payouts } of files) {
    expect(payments).toBe(payouts.length);
    if (status === 'ready') expect(readPaymentFile(Buffer.from(await content(id))).payments).toHaveLength(payments);
  }
  for (const id of payoutIds) {
    const types = await timeline(id);
    for (const type of ['attempt_reserved', 'file_made', 'rail_paid', 'file_discarded'])
      expect(types.filter((known) => known === type).length).toBeLessThanOrEqual(1);
  }
  expect(await verifyLedger(operator(cluster.runtime))).toEqual([]);
});
