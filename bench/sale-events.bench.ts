import { issueProgramEventSecret } from '../src/domains/programs/use-cases/issue-program-event-secret.ts';
import { signWebhook } from '../src/platform/crypto/standard-webhooks.ts';
import { startChild } from './support/child.ts';
import { startApi } from './support/http.ts';
import { measure } from './support/load.ts';
import { options } from './support/options.ts';
import { report } from './support/report.ts';
import { compareRates } from './support/rounds.ts';
import { seedMembers, seedProgram } from './support/seed.ts';
import { createBenchMerchant, withStack } from './support/stack.ts';

const CONNECTIONS = 8;
const AFFILIATES = 8;
/** Requests that the load generator prepares beyond those of a round. */
const SPARE = 4 * CONNECTIONS;

/**
 * P23: signed sale events to committed conversions, for eight affiliates and for one, against the bare driver writing the
 * same rows.
 */
await withStack(async ({ env, runtime, database }, started) => {
  const merchantId = await createBenchMerchant(runtime);
  const programId = await seedProgram(runtime, database, merchantId);
  const members = await seedMembers(runtime, database, { merchantId, programId, count: AFFILIATES });
  await database.query({ name: 'hold', text: 'update program set commission_hold_days = 30 where id = $1', values: [programId] });
  const { rows: codes } = await database.query<{ code: string }>({
    name: 'codes',
    text: 'insert into referral_code (code, affiliate_id) select code, id from affiliate where program_id = $1 returning code',
    values: [programId],
  });
  const owner = { kind: 'key', keyId: runtime.ids.next(), keyType: 'merchant', ownerId: merchantId, scopes: [] } as const;
  const { signingSecret } = await issueProgramEventSecret(runtime.context(owner), { programId });
  const perRound = options.payouts(200, 4_000);
  const api = started(await startApi({ ...env, DATABASE_POOL: String(CONNECTIONS) }));
  const anchor = started(
    await startChild('sale-events.anchor.ts', { ...env, CONNECTIONS: String(CONNECTIONS), EVENT: 'x'.repeat(750) }),
  );
  let serial = 0;

  const eventOf = (code: string): { body: string; headers: Record<string, string> } => {
    const id = `sale-${serial++}`;
    const now = new Date();
    const data = {
      saleId: id,
      amount: 4_900,
      currency: 'usd',
      occurredAt: now.toISOString(),
      customer: { id: `customer-${id}`, email: `${id}@customer.example` },
      referralCode: code,
    };
    const body = JSON.stringify({ type: 'sale.completed', timestamp: now.toISOString(), data });
    const timestampSeconds = Math.floor(now.getTime() / 1_000);
    const signature = signWebhook({ id, timestampSeconds, body, secrets: [signingSecret] });
    return {
      body,
      headers: { 'webhook-id': id, 'webhook-timestamp': String(timestampSeconds), 'webhook-signature': signature },
    };
  };
  const count = async (): Promise<number> => {
    const { rows } = await database.query<{ count: number }>({
      name: 'conversions',
      text: 'select count(*)::int as count from conversion where program_id = $1',
      values: [programId],
    });
    return rows[0]?.count ?? 0;
  };
  const ours = (affiliates: number) => async () => {
    const before = await count();
    const events = Array.from({ length: perRound + SPARE }, (_, n) => eventOf(codes[n % affiliates]?.code ?? ''));
    const measured = await measure(api, {
      url: `${api.url}/api/integrations/events/${programId}`,
      method: 'POST',
      connections: CONNECTIONS,
      amount: perRound,
      headers: [{ 'content-type': 'application/json' }],
      bodies: events.map(({ body }) => body),
      bodyHeaders: events.map(({ headers }) => headers),
    });
    const added = (await count()) - before;
    if (added !== measured.requests) throw new Error(`${measured.requests} sales reported, ${added} conversions in the database`);
    return measured;
  };
  const bare = async () => {
    const before = await anchor.cpuMicros();
    const since = performance.now();
    await anchor.run({ programId, merchantId, affiliates: members, count: perRound });
    const seconds = (performance.now() - since) / 1_000;
    return { perSecond: perRound / seconds, cpuMicros: ((await anchor.cpuMicros()) - before) / perRound };
  };
  const [many, one] = [ours(AFFILIATES), ours(1)];
  await many();
  await bare();
  // Plans made for empty tables scan them. Postgres does this itself about once a minute.
  await database.query({ name: 'analyze', text: 'analyze', values: [] });
  const against = await compareRates(many, bare);
  const what = 'signed sale event to committed conversion';
  const figure = { name: 'P23', unit: 'sales/s' };
  report({
    ...figure,
    what: `${what}, against bare pg writing the same rows`,
    floor: 0.4,
    goal: 0.7,
    ...against.rates,
    more: against.cpu,
  });
  const alone = await compareRates(one, many);
  report({
    ...figure,
    what: `${what}, for one affiliate, against eight`,
    floor: 0.9,
    goal: 0.9,
    ...alone.rates,
    more: alone.cpu,
  });
});
