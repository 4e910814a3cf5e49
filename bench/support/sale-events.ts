import { issueProgramEventSecret } from '../../src/domains/programs/use-cases/issue-program-event-secret.ts';
import { signWebhook } from '../../src/platform/crypto/standard-webhooks.ts';
import { measure } from './load.ts';
import { seedMembers, seedProgram } from './seed.ts';
import type { Server } from './server.ts';
import type { BenchStack } from './stack.ts';
import { createBenchMerchant } from './stack.ts';

/** Requests that the load generator prepares beyond those of a round, for each connection. */
const SPARE = 4;

export interface Intake {
  merchantId: string;
  programId: string;
  members: string[];
  /** Conversions of the program. */
  count(): Promise<number>;
  /** Sends signed sale events of so many of the affiliates and checks that each became a conversion. */
  send(api: Server, affiliates: number, requests: number): ReturnType<typeof measure>;
}

/** A program with affiliates whose sales are reported by signed events. */
export const prepareIntake = async (
  { runtime, database }: BenchStack,
  { affiliates, connections }: { affiliates: number; connections: number },
): Promise<Intake> => {
  const merchantId = await createBenchMerchant(runtime);
  const programId = await seedProgram(runtime, database, merchantId);
  const members = await seedMembers(runtime, database, { merchantId, programId, count: affiliates });
  await database.query({ name: 'hold', text: 'update program set commission_hold_days = 30 where id = $1', values: [programId] });
  const { rows: codes } = await database.query<{ code: string }>({
    name: 'codes',
    text: 'insert into referral_code (code, affiliate_id) select code, id from affiliate where program_id = $1 returning code',
    values: [programId],
  });
  const owner = { kind: 'key', keyId: runtime.ids.next(), keyType: 'merchant', ownerId: merchantId, scopes: [] } as const;
  const { signingSecret } = await issueProgramEventSecret(runtime.context(owner), { programId });
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
  return {
    merchantId,
    programId,
    members,
    count,
    async send(api, affiliates, requests) {
      const before = await count();
      const events = Array.from({ length: requests + SPARE * connections }, (_, n) => eventOf(codes[n % affiliates]?.code ?? ''));
      const measured = await measure(api, {
        url: `${api.url}/api/integrations/events/${programId}`,
        method: 'POST',
        connections,
        amount: requests,
        headers: [{ 'content-type': 'application/json' }],
        bodies: events.map(({ body }) => body),
        bodyHeaders: events.map(({ headers }) => headers),
      });
      const added = (await count()) - before;
      if (added !== measured.requests)
        throw new Error(`${measured.requests} sales reported, ${added} conversions in the database`);
      return measured;
    },
  };
};
