import { setTimeout as sleep } from 'node:timers/promises';
import { WORKFLOW_IDS } from '../../src/contracts/workflows.ts';
import { openTemporal } from '../../src/relay/temporal-client.ts';
import type { PgPool } from './pg.ts';
import type { Environment } from './server.ts';

interface DriverOptions {
  database: PgPool;
  merchantId: string;
  programId: string;
  url: string;
  headers: Record<string, string>;
  inFlight: number;
}

/** POSTs at once; the rest of those in flight are on their way behind them. */
const LANES = 8;
const LOOK_MS = 25;
const PATIENCE_MS = 120_000;

/** Pays members, never more than `inFlight` at a time, until all are completed; returns how many a second. */
export const createDriver = ({ database, merchantId, programId, url, headers, inFlight }: DriverOptions) => {
  const count = async (statement: string): Promise<number> => {
    const { rows } = await database.query<{ count: number }>({ name: '', text: statement, values: [merchantId] });
    return rows[0]?.count ?? 0;
  };
  const completed = () => count(`select count(*)::int as count from payout where merchant_id = $1 and status = 'completed'`);
  const booked = () =>
    count(`select count(*)::int as count from ledger_entry e join payout p on p.id = e.reference_id
      where p.merchant_id = $1 and e.kind = 'payout_completed' and e.account = 'paid'`);
  const announced = () =>
    count(`select count(*)::int as count from webhook_event where merchant_id = $1 and type = 'payout.completed'`);

  const create = async (affiliateId: string): Promise<void> => {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ affiliateId, programId }) });
    if (answer.status !== 201) throw new Error(`no payout: ${await answer.text()}`);
    await answer.arrayBuffer();
  };

  return async (members: readonly string[]): Promise<number> => {
    const before = await completed();
    const since = performance.now();
    const queue = members.values();
    let begun = 0;
    let ended = 0;
    const lane = async (): Promise<void> => {
      for (const member of queue) {
        begun++;
        while (begun - ended > inFlight) await sleep(LOOK_MS / 4);
        await create(member);
      }
    };
    const lanes = Promise.all(Array.from({ length: LANES }, lane));
    while (ended < members.length) {
      if (performance.now() - since > PATIENCE_MS) throw new Error(`only ${ended} of ${members.length} payouts were completed`);
      await sleep(LOOK_MS);
      ended = (await completed()) - before;
    }
    const perSecond = members.length / ((performance.now() - since) / 1000);
    await lanes;
    const [all, entries, events] = [await completed(), await booked(), await announced()];
    if (entries !== all || events !== all) throw new Error(`${all} completed, but ${entries} booked and ${events} announced`);
    return perSecond;
  };
};

/** Steps of a completed payout's story on average, as its history tells. */
export const countActivities = async (env: Environment, database: PgPool, merchantId: string): Promise<number> => {
  const { rows } = await database.query<{ id: string }>({
    name: '',
    text: `select id from payout where merchant_id = $1 and status = 'completed' order by created_at desc limit 50`,
    values: [merchantId],
  });
  const temporal = openTemporal({ address: env['TEMPORAL_ADDRESS'] ?? '', namespace: 'default', tls: false });
  let activities = 0;
  for (const { id } of rows) {
    const { events = [] } = await temporal.client.workflow.getHandle(WORKFLOW_IDS.payout(id)).fetchHistory();
    activities += (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes).length;
  }
  await temporal.close();
  return activities / rows.length;
};
