import { randomUUID } from 'node:crypto';
import { buildApi } from '../src/api/server.ts';
import { consoleOf } from '../src/console/mount-console.ts';
import { PAGES } from '../src/console/pages/index.ts';
import type { PersonSession } from '../src/console/sessions.ts';
import { RATE_WINDOW_MS } from '../src/contracts/limits.ts';
import { SCOPES_OF } from '../src/contracts/scopes.ts';
import { createApiKey } from '../src/domains/auth/index.ts';
import { createRateLimiter } from '../src/platform/redis/rate-limit.ts';
import { options } from './support/options.ts';
import { median, report } from './support/report.ts';
import { compareRates } from './support/rounds.ts';
import { seedMembers, seedProgram } from './support/seed.ts';
import { createBenchMerchant, withStack } from './support/stack.ts';

/** Requests between two readings of the clock. */
const BATCH = 20;
const PAYOUTS = 20;

/** P26: the CPU time of the process for a page, against the requests whose JSON it shows. */
await withStack(
  async ({ runtime, database }) => {
    const merchantId = await createBenchMerchant(runtime);
    const programId = await seedProgram(runtime, database, merchantId);
    const members = await seedMembers(runtime, database, { merchantId, programId, count: 2 * PAYOUTS });
    /** A key, and who acts with it on pages. */
    const makeActing = async (keyType: 'merchant' | 'affiliate', ownerId: string) => {
      const ctx = runtime.context({ kind: 'system', name: 'bench' });
      const { key, value } = await createApiKey(ctx, { keyType, ownerId, name: 'bench', rateLimit: 1_000_000 });
      const actor = { kind: 'key', keyId: key.id, keyType, ownerId, scopes: SCOPES_OF[keyType] } as const;
      return { acting: { actor, ownerId, name: 'bench', perMinute: 1_000_000 }, authorization: `Bearer ${value}` };
    };
    const owner = { name: '', text: 'select profile_id as id from affiliate where id = $1', values: [members.at(-1)] };
    const { rows: profiles } = await database.query<{ id: string }>(owner);
    const [ofMerchant, ofAffiliate] = [
      await makeActing('merchant', merchantId),
      await makeActing('affiliate', profiles[0]?.id ?? ''),
    ];
    const person: PersonSession = {
      personId: randomUUID(),
      sessionId: randomUUID(),
      name: 'bench',
      locale: 'en',
      timezone: 'UTC',
      merchant: ofMerchant.acting,
      affiliate: ofAffiliate.acting,
    };
    const { log, redis } = runtime;
    const limiter = createRateLimiter({ redis, log, windowMs: RATE_WINDOW_MS, instances: 1 });
    const mounts = [consoleOf({ pages: PAGES, sessions: () => ({ read: async () => person }) })];
    const { app } = await buildApi(runtime, limiter, runtime.config, mounts);
    const isOfAffiliate = (url: string): boolean => /^\/(portal|api\/v1\/(me|auth))\b/.test(url);
    const call = async (url: string, body?: object) => {
      const sent = body ? { method: 'POST' as const, payload: body } : { method: 'GET' as const };
      const { authorization } = isOfAffiliate(url) ? ofAffiliate : ofMerchant;
      const response = await app.inject({ ...sent, url, headers: { authorization } });
      if (response.statusCode >= 300) throw new Error(`${url}: ${response.statusCode} ${response.body}`);
      return response;
    };

    const payoutIds: string[] = [];
    for (const affiliateId of members.slice(0, PAYOUTS))
      payoutIds.push((await call('/api/v1/payouts', { affiliateId, programId })).json().data.id);
    const payout = `/payouts/${payoutIds[0]}`;

    const measure = (urls: readonly string[]) => async () => {
      const since = performance.now();
      const end = since + options.seconds * 1_000;
      const before = process.cpuUsage();
      let rounds = 0;
      for (; performance.now() < end; rounds += BATCH) for (let n = 0; n < BATCH; n++) for (const url of urls) await call(url);
      const { user, system } = process.cpuUsage(before);
      return { perSecond: (rounds * 1_000) / (performance.now() - since), cpuMicros: (user + system) / rounds };
    };

    const compare = async (what: string, page: string, json: readonly string[]): Promise<void> => {
      const [ours, anchor] = [measure([page]), measure(json.map((path) => `/api/v1${path}`))];
      await ours();
      await anchor();
      const { pairs } = await compareRates(ours, anchor);
      report({
        name: 'P26',
        what: `${what}, against the JSON that it shows`,
        unit: 'µs CPU',
        floor: 3,
        goal: 1.5,
        lowerIsBetter: true,
        ours: median(pairs.map((pair) => pair.ours.cpuMicros)),
        anchor: median(pairs.map((pair) => pair.anchor.cpuMicros)),
        ratio: median(pairs.map((pair) => pair.ours.cpuMicros / pair.anchor.cpuMicros)),
        samples: pairs.map((pair) => ({ ours: pair.ours.cpuMicros, anchor: pair.anchor.cpuMicros })),
        more: { bytes: (await call(page)).body.length, requests: json.length },
      });
    };

    await compare('the list of payouts', '/console/payouts', ['/payouts']);
    await compare('the case file of a payout', `/console${payout}`, [payout, `${payout}/timeline?limit=100`, `${payout}/items`]);
    await compare('who is owed what', '/console/pay', ['/payouts/pending', '/payout-runs?limit=20', '/programs?limit=100']);
    await compare('the overview of an affiliate', '/portal', ['/me/earnings', '/me/payout-info', '/me/next-payments']);
    await compare('the API keys of an affiliate', '/portal/keys', ['/auth/keys']);
    await compare('the notifications of an affiliate', '/portal/notifications', ['/me/notifications', '/me/programs']);
    await app.close();
  },
  { pinned: false },
);
