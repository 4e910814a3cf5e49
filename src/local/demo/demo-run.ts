import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { PAYOUT_RUN_STATUSES } from '../../contracts/payout-runs.ts';
import { LocalStackError } from '../stack/local-stack-error.ts';
import type { ApiClient } from './api-client.ts';
import type { DemoPeople } from './demo-data.ts';

const NAME = 'Demo of npm start';
const POLL_MS = 200;
const RUN_MS = 60_000;

const runShape = z.object({
  id: z.string(),
  name: z.string().nullable(),
  status: z.enum(PAYOUT_RUN_STATUSES),
  total: z.record(z.string(), z.int()),
  items: z.int(),
});
type Run = z.infer<typeof runShape>;

const itemsShape = z.array(
  z.object({ code: z.string(), result: z.string(), reason: z.string().nullable(), paidAmount: z.int().nullable() }),
);

export interface DemoRun {
  id: string;
  status: Run['status'];
  items: z.infer<typeof itemsShape>;
}

interface Input {
  client: ApiClient;
  people: DemoPeople;
  log: (line: string) => void;
  /** Makes something payable to each of them, and waits until it is. */
  earn(): Promise<void>;
}

/** Drafts and confirms a run of three affiliates, one of whom it leaves out. Null while the user has a run of their own. */
export const payTeam = async ({ client, people, log, earn }: Input): Promise<DemoRun | null> => {
  if (!(await endEarlierRuns(client))) return null;
  await earn();
  const body = { name: NAME, affiliateIds: people.team.map(({ affiliateId }) => affiliateId) };
  const drafted = await client.send(runShape, 'POST', '/payout-runs', body);
  log(`Demo: payout run ${drafted.id} was drafted: it pays ${drafted.items} of ${people.team.length} affiliates`);
  const { total, items } = drafted;
  await client.send(runShape, 'POST', `/payout-runs/${drafted.id}/confirm`, { total, items });
  const { status } = await untilOver(client, drafted.id);
  log(`Demo: the payout run is ${status}`);
  return { id: drafted.id, status, items: await client.get(itemsShape, `/payout-runs/${drafted.id}/items?limit=100`) };
};

/** Those of an interrupted start. False when another run would overlap. */
const endEarlierRuns = async (client: ApiClient): Promise<boolean> => {
  const runs = await client.get(z.array(runShape), '/payout-runs?limit=100');
  const open = runs.filter(({ status }) => status !== 'completed' && status !== 'cancelled');
  for (const { id, name } of open) {
    if (name !== NAME) return false;
    await client.send(runShape, 'POST', `/payout-runs/${id}/cancel`);
  }
  return true;
};

const untilOver = async (client: ApiClient, id: string): Promise<Run> => {
  for (const end = Date.now() + RUN_MS; ; await sleep(POLL_MS)) {
    const run = await client.get(runShape, `/payout-runs/${id}`);
    if (run.status === 'completed' || run.status === 'cancelled') return run;
    if (Date.now() > end) throw new LocalStackError(`The payout run ${id} is still ${run.status}.`);
  }
};
