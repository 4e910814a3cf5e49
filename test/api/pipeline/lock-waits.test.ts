import { lockSale } from '../../../src/domains/conversions/record/sales.queries.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { execute, sql } from '../../../src/platform/database/sql.ts';
import { useOwnApi } from '../../support/api.ts';
import {
  makeMerchant,
  makePayable,
  makeProgram,
  refundEvent,
  saleEvent,
  sendRefund,
  sendSale,
  sendUnscreened,
  unique,
} from '../../support/factories.ts';
import { untilSomebodyWaits } from '../../support/lock-waits.ts';
import { system } from './support.ts';

const api = useOwnApi({ DATABASE_STATEMENT_TIMEOUT_MS: undefined, DATABASE_CONNECT_TIMEOUT_MS: undefined }, { asOwner: true });
const BUSY = { code: 'CONFLICT', details: { reason: 'BUSY', retryAfterMs: expect.any(Number) } };

/** Holds what `lock` takes while the requests are sent. */
const whileLocked = <T>(lock: (ctx: ReturnType<typeof context>) => Promise<unknown>, send: () => Promise<T>): Promise<T> =>
  inTransaction(context(), async (ctx) => {
    await lock(ctx);
    return send();
  });
const context = () => api.runtime.context(system);

describe('MO9: a request that waits too long for a lock', () => {
  it('each of 25 refunds of one sale is 409 BUSY, and nothing is lost when they are repeated', async () => {
    const { program, saleId, conversionId, key } = await makePayable(api);
    const refunds = Array.from({ length: 25 }, () => refundEvent({ saleId, amount: 100 }));
    const sale = { programId: program.programId, provider: 'events' as const, externalId: saleId };
    const answers = await whileLocked(
      (ctx) => lockSale(ctx, sale),
      () => Promise.all(refunds.map((refund) => sendUnscreened(api, program, refund))),
    );
    for (const { status, error } of answers) expect({ status, error }).toMatchObject({ status: 409, error: BUSY });
    for (const refund of refunds) expect((await sendUnscreened(api, program, refund)).data.outcome).toBe('recorded');
    expect((await api.call('GET', `/conversions/${conversionId}`, { key })).data.refundedAmount).toBe(2_500);
  });

  it('holds one connection for all that wait for one sale, and others are served meanwhile', async () => {
    const { program, saleId, key } = await makePayable(api);
    const sale = { programId: program.programId, provider: 'events' as const, externalId: saleId };
    let isAnswered = false;
    const waiting: number[] = [];
    const watch = async () => {
      const [row] = await context().em.execute(
        `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
      );
      waiting.push(row?.count ?? 0);
    };
    await whileLocked(
      (ctx) => lockSale(ctx, sale),
      async () => {
        const send = () => sendUnscreened(api, program, refundEvent({ saleId, amount: 100 }));
        const answers = Promise.all(Array.from({ length: 25 }, send)).finally(() => (isAnswered = true));
        expect((await api.call('GET', '/programs', { key })).status).toBe(200);
        while (!isAnswered) await watch();
        for (const { status, error } of await answers) expect({ status, error }).toMatchObject({ status: 409, error: BUSY });
      },
    );
    expect(Math.max(...waiting)).toBe(1);
    expect((await sendRefund(api, program, { saleId, amount: 100 })).data.outcome).toBe('recorded');
  });

  it('a request at a table that is locked is 409 BUSY, with any method that writes, and an Idempotency-Key repeats it', async () => {
    const { key } = await makeMerchant(api.runtime);
    const body = { name: `Program ${unique()}`, commissionType: 'one_time', commissionPercent: 10 };
    const create = () => api.call('POST', '/programs', { key, body, headers: { 'Idempotency-Key': 'once' } });
    const made = (await api.call('POST', '/programs', { key, body })).data;
    const lock = (ctx: ReturnType<typeof context>) => execute(ctx.em, sql`lock table program in exclusive mode`);
    const answers = await whileLocked(lock, () =>
      Promise.all([create(), api.call('PATCH', `/programs/${made.id}`, { key, body: { description: 'Other' } })]),
    );
    for (const { status, error } of answers) expect({ status, error }).toMatchObject({ status: 409, error: BUSY });
    expect((await create()).status).toBe(201);
  });

  it('a request that was to write nothing is a fault', async () => {
    const { key } = await makeMerchant(api.runtime);
    const lock = (ctx: ReturnType<typeof context>) => execute(ctx.em, sql`lock table program in access exclusive mode`);
    expect((await whileLocked(lock, () => api.call('GET', '/programs', { key }))).status).toBe(500);
  });
});

test('MO9: 25 refunds of one sale at once are recorded, or answered with BUSY', async () => {
  const { program, saleId } = await makePayable(api);
  const answers = await Promise.all(Array.from({ length: 25 }, () => sendRefund(api, program, { saleId, amount: 100 })));
  expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
});

describe('SE4: signed messages of one merchant that wait for locks', () => {
  const reportOf = async (key: string) => {
    const program = await makeProgram(api, key);
    const saleId = `sale-${unique()}`;
    await sendSale(api, program, { saleId });
    return { program, sale: { programId: program.programId, provider: 'events' as const, externalId: saleId } };
  };

  it.each([
    ['of one sale', 1],
    ['of sales of four programs', 4],
  ])('%s leave a share to others', async (_what, programs) => {
    const { key } = await makeMerchant(api.runtime);
    const other = await makeProgram(api, (await makeMerchant(api.runtime)).key);
    const reports: Awaited<ReturnType<typeof reportOf>>[] = [];
    for (let n = 0; n < programs; n++) reports.push(await reportOf(key));
    const lockAll = async (ctx: ReturnType<typeof context>) => {
      for (const { sale } of reports) await lockSale(ctx, sale);
    };
    const answers = await whileLocked(lockAll, async () => {
      const sent = reports.flatMap(({ program, sale }) =>
        Array.from({ length: 64 / programs }, () =>
          sendUnscreened(api, program, refundEvent({ saleId: sale.externalId, amount: 100 })),
        ),
      );
      await untilSomebodyWaits(api);
      // Waiting for its turn would end with 429.
      expect((await sendUnscreened(api, other, saleEvent({}))).status).toBe(200);
      return Promise.all(sent);
    });
    const reasons = answers.map(({ error }) => error.details.reason);
    expect(reasons.filter((reason) => reason === 'OVERLOADED').length).toBeGreaterThanOrEqual(32);
    expect(new Set(reasons)).toEqual(new Set(['OVERLOADED', 'BUSY']));
  });
});
