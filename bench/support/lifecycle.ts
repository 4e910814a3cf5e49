import pMap from 'p-map';
import { DEFAULT_NAMESPACES } from '../../src/contracts/workflows/descriptor.ts';
import { payoutLifecycle } from '../../src/contracts/workflows/payout-lifecycle.ts';
import { openTemporal } from '../../src/temporal/client.ts';
import { pause, until } from '../../test/support/until.ts';
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

/** Concurrent POSTs; the other payouts in flight are already committed. */
const CONCURRENCY = 8;
const POLL_MS = 100;
/** Without another completed payout. */
const TIMEOUT_MS = 60_000;

/** Pays members, at most `inFlight` at a time, until all payouts are completed; resolves to payouts per second. */
export const createDriver = ({ database, merchantId, programId, url, headers, inFlight }: DriverOptions) => {
  const count = async (statement: string): Promise<number> => {
    const { rows } = await database.query<{ count: number }>({ name: '', text: statement, values: [merchantId] });
    return rows[0]?.count ?? 0;
  };
  const completed = () => count(`select count(*)::int as count from payout where merchant_id = $1 and status = 'completed'`);
  const posted = () =>
    count(`select count(*)::int as count from ledger_entry e join payout p on p.id = e.reference_id
      where p.merchant_id = $1 and e.kind = 'payout_completed' and e.account = 'paid'`);
  const emitted = () =>
    count(`select count(*)::int as count from webhook_event where merchant_id = $1 and type = 'payout.completed'`);

  const create = async (affiliateId: string): Promise<void> => {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ affiliateId, programId }) });
    if (response.status !== 201) throw new Error(`payout not created: ${await response.text()}`);
    await response.arrayBuffer();
  };

  return async (members: readonly string[]): Promise<number> => {
    const before = await completed();
    const since = performance.now();
    let started = 0;
    let ended = 0;
    let lastEndedAt = since;
    const createNext = async (member: string): Promise<void> => {
      started++;
      while (started - ended > inFlight) await pause(POLL_MS / 10, 'as many are in flight as may be');
      await create(member);
    };
    const created = pMap(members, createNext, { concurrency: CONCURRENCY });
    while (ended < members.length) {
      if (performance.now() - lastEndedAt > TIMEOUT_MS)
        throw new Error(`only ${ended} of ${members.length} payouts were completed`);
      await pause(POLL_MS, 'polling is work of the database, too');
      const count = (await completed()) - before;
      if (count > ended) lastEndedAt = performance.now();
      ended = count;
    }
    const perSecond = members.length / ((performance.now() - since) / 1000);
    await created;
    const [all, entries, events] = [await completed(), await posted(), await emitted()];
    if (entries !== all || events !== all) throw new Error(`${all} completed, but ${entries} in the ledger and ${events} events`);
    return perSecond;
  };
};

/** Resolves when no mail waits to be sent. */
export const waitForMails = async (database: PgPool): Promise<void> => {
  const text = `select exists (select from mail where status = 'queued') as waits`;
  await until('every mail is sent', async () => {
    const { rows } = await database.query<{ waits: boolean }>({ name: '', text, values: [] });
    return !rows[0]?.waits;
  });
};

/** Average number of activities of a completed payout workflow, from its history. */
export const countActivities = async (env: Environment, database: PgPool, merchantId: string): Promise<number> => {
  const { rows } = await database.query<{ id: string }>({
    name: '',
    text: `select id from payout where merchant_id = $1 and status = 'completed' order by created_at desc limit 50`,
    values: [merchantId],
  });
  const temporal = openTemporal({ address: env['TEMPORAL_ADDRESS'] ?? '', namespaces: DEFAULT_NAMESPACES, tls: false });
  let activities = 0;
  for (const { id } of rows) {
    const { events = [] } = await temporal.clients.finance.workflow.getHandle(payoutLifecycle.id(id)).fetchHistory();
    activities += (events ?? []).filter((event) => event.activityTaskScheduledEventAttributes).length;
  }
  await temporal.close();
  return activities / rows.length;
};
