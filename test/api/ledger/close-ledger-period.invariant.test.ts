import { reopenPeriod, verifyLedger } from '../../../src/domains/ledger/index.ts';
import { closeLedgerPeriod } from '../../../src/domains/ledger/use-cases/close-ledger-period.ts';
import { runSql } from '../../../src/local/stack/sql.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { useOwnApi } from '../../support/api.ts';
import { makeKey, sendRefund, sendSale } from '../../support/factories.ts';
import { ownerUrlOf } from '../../support/many-commissions.ts';
import { downloadJournal, makeBooks, month } from './support.ts';

const api = useOwnApi();
const system = { kind: 'system', name: 'operator' } as const;

const at = (period: string, day = '10'): string => `${period}-${day}T12:00:00.000Z`;
const lastMoment = (period: string): string => new Date(Date.parse(`${period}-28T00:00:00Z`)).toISOString();

it('books what is posted later in the open month: the file of the closed one stays equal byte by byte', async () => {
  const { key, program, code, post, close, fileOf, contextAt } = await makeBooks(api);
  const saleId = 'sold-before';
  await sendSale(api, program, { saleId, amount: 10_000, referralCode: code });
  await post(at(month(-2)), 1_000);
  await post(at(month(-1)), 2_000);
  const files = () => Promise.all([fileOf(month(-2)), fileOf(month(-1))]);
  const before = await files();
  for (const distance of [-2, -1]) expect((await close(month(distance))).status).toBe(200);
  await sendRefund(api, program, { saleId, amount: 10_000 });
  // A process whose clock is behind, or whose transaction began before the month was over.
  await post(lastMoment(month(-1)), 50);
  await post(at(month(-2)), 60, contextAt(at(month(-2))));
  expect(await files()).toEqual(before);
  const open = (await downloadJournal(api, key, { from: `${month(0)}-01` })).lines;
  expect(open.filter((line) => line.startsWith(`${month(0)}-01,payable,merchant_expense,adjustment`))).toHaveLength(2);
  expect(await verifyLedger(api.runtime.context(system))).toEqual([]);
});

it('409 for a month that is not over, is closed, or has an earlier one before it', async () => {
  const { post, close } = await makeBooks(api);
  await post(at(month(-3)), 1_000);
  const reasonOf = async (period: string) => {
    const { status, error } = await close(period);
    return status === 200 ? status : [status, error.details];
  };
  expect(await reasonOf(month(0))).toEqual([409, { reason: 'PERIOD_NOT_OVER', period: month(0), current: month(0) }]);
  expect(await reasonOf(month(12))).toMatchObject([409, { reason: 'PERIOD_NOT_OVER' }]);
  const outOfOrder = { reason: 'PERIOD_OUT_OF_ORDER', next: month(-3) };
  expect(await reasonOf(month(-2))).toEqual([409, { ...outOfOrder, period: month(-2) }]);
  for (const distance of [-4, -5, -60])
    expect(await reasonOf(month(distance))).toEqual([409, { ...outOfOrder, period: month(distance) }]);
  expect(await reasonOf(month(-3))).toBe(200);
  expect(await reasonOf(month(-3))).toMatchObject([409, { reason: 'PERIOD_CLOSED', lastClosed: month(-3) }]);
  expect(await reasonOf(month(-1))).toMatchObject([409, { reason: 'PERIOD_OUT_OF_ORDER', next: month(-2) }]);
});

it('409 for every month of books without an entry, also in the zone of another day', async () => {
  const { key, close } = await makeBooks(api);
  for (const timezone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Honolulu']) {
    await api.call('PATCH', '/merchant', { key, body: { timezone } });
    for (const distance of [-2, -12]) {
      const { status, error } = await close(month(distance));
      expect([status, error.details.reason, error.details.next >= month(-1)]).toEqual([409, 'PERIOD_OUT_OF_ORDER', true]);
    }
  }
});

/** As an earlier version closed it. */
const closeBefore = (merchantId: string, period: string, closedAt: 'now()' | 'null') =>
  api.runtime
    .context(system)
    .em.execute(
      `insert into ledger_period (id, merchant_id, month, closed_at, closed_by) values (gen_random_uuid(), ?, '${period}-01', ${closedAt}, 'key:test')`,
      [merchantId],
    );

it('a month before the first entry that is closed holds up no other, and one that was opened again is in no list', async () => {
  const { key, merchantId, post, close } = await makeBooks(api);
  await closeBefore(merchantId, month(-6), 'null');
  await closeBefore(merchantId, month(-5), 'now()');
  await post(at(month(-2)), 1_000);
  const listed = async () =>
    (await api.call('GET', '/ledger/periods', { key })).data.map(({ period }: { period: string }) => period);
  expect(await listed()).toEqual([month(0), month(-1), month(-2), month(-5)]);
  expect((await close(month(-4))).error.details).toMatchObject({ reason: 'PERIOD_OUT_OF_ORDER', next: month(-2) });
  expect((await close(month(-2))).data.totals).toMatchObject([{ balance: -1_000 }, { balance: 1_000 }]);
  expect((await close(month(-1))).data.totals).toMatchObject([{ balance: -1_000 }, { balance: 1_000 }]);
  expect(await listed()).toEqual([month(0), month(-1), month(-2), month(-5)]);
  expect(await verifyLedger(api.runtime.context(system))).toEqual([]);
});

it.each(['2026-13', '2026-00', '2026-3', '0999-12', '2026-03-01', 'march'])('400 for the month %j', async (period) => {
  const { close } = await makeBooks(api);
  expect((await close(period)).error?.code).toBe('BAD_REQUEST');
});

it('the operation needs the scope payouts:write', async () => {
  const { merchantId } = await makeBooks(api);
  const { key } = await makeKey(api.runtime, { ownerId: merchantId, scopes: ['payouts:read'] });
  const { error } = await api.call('POST', `/ledger/periods/${month(-1)}/close`, { key });
  expect(error?.code).toBe('INSUFFICIENT_SCOPE');
});

it('two at once close the month once', async () => {
  const { post, close } = await makeBooks(api);
  await post(at(month(-1)), 1_000);
  const answers = await Promise.all([close(month(-1)), close(month(-1)), close(month(-1))]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
});

it('the closing waits for what is being posted, and what comes while it closes is booked in the next month', async () => {
  const { merchantId, keyId, post, close, fileOf, contextAt } = await makeBooks(api);
  const [period, moment] = [month(-1), at(month(-1))];
  await post(moment, 1_000);
  let closing: ReturnType<typeof close> | undefined;
  await inTransaction(contextAt(moment), async (ctx) => {
    await post(moment, 2_000, ctx);
    closing = close(period);
    await waitForLock();
  });
  expect((await closing)?.data.totals).toMatchObject([{ amount: -3_000 }, { amount: 3_000 }]);
  await reopenPeriod(api.runtime.context(system), { merchantId, period, reason: 'Test' });
  const actor = { kind: 'key', keyId, keyType: 'merchant', ownerId: merchantId, scopes: [] } as const;
  let posting: Promise<unknown> | undefined;
  await inTransaction(api.runtime.context(actor), async (ctx) => {
    await closeLedgerPeriod(ctx, { period });
    posting = post(moment, 4_000);
    await waitForLock();
  });
  await posting;
  expect((await fileOf(period)).match(/,payable,/g)).toHaveLength(4);
  expect((await fileOf(month(0))).split('\r\n').filter((line) => line.startsWith(`${month(0)}-01,payable`))).toHaveLength(1);
  expect(await verifyLedger(api.runtime.context(system))).toEqual([]);
});

const waitForLock = async (): Promise<void> => {
  for (let waiting = 0; waiting === 0; ) {
    const [row] = await api.runtime.context(system).em.execute(
      `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`,
    );
    waiting = row?.count ?? 0;
  }
};

it("months are those of the merchant's time zone, and a change of the zone moves nothing that is booked", async () => {
  const { key, post, fileOf } = await makeBooks(api);
  const setZone = (timezone: string) => api.call('PATCH', '/merchant', { key, body: { timezone } });
  await setZone('Pacific/Kiritimati');
  await post(`${month(-2)}-01T11:00:00.000Z`, 100);
  await setZone('Pacific/Honolulu');
  await post(`${month(-1)}-01T09:00:00.000Z`, 200);
  const file = await fileOf(month(-2));
  expect(
    file
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0]?.slice(8)),
  ).toEqual(expect.arrayContaining(['02', expect.stringMatching(/^(28|29|30|31)$/)]));
});

it('a closing is in the audit log, as is that an operator opened the last month again, which is then closed anew', async () => {
  const { key, merchantId, post, close } = await makeBooks(api);
  await post(at(month(-2)), 1_000);
  for (const distance of [-2, -1]) await close(month(distance));
  const reopen = (period: string) =>
    reopenPeriod(api.runtime.context(system), { merchantId, period, reason: 'Wrong rate of March' });
  await expect(reopen(month(-2))).rejects.toMatchObject({ details: { reason: 'PERIOD_OUT_OF_ORDER', next: month(-1) } });
  await expect(reopen(month(0))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await reopen(month(-1));
  const periods = async () => (await api.call('GET', '/ledger/periods', { key })).data;
  expect((await periods()).map(({ status }: { status: string }) => status)).toEqual(['open', 'open', 'closed']);
  await post(at(month(-1)), 500);
  expect((await close(month(-1))).data.totals).toMatchObject([{ balance: -1_500 }, { amount: 500, balance: 1_500 }]);
  const log = await api.call('GET', '/audit-log', { key, query: { resourceType: 'ledger_period' } });
  expect(log.data.map(({ action }: { action: string }) => action)).toEqual([
    'ledger_period.closed',
    'ledger_period.reopened',
    'ledger_period.closed',
    'ledger_period.closed',
  ]);
  expect(log.data[1]).toMatchObject({ actor: 'system:operator', changes: [{ new: month(-1) }, { new: 'Wrong rate of March' }] });
  expect(await verifyLedger(api.runtime.context(system))).toEqual([]);
});

const entryIn = (day: string, amount: number): string =>
  `insert into ledger_entry (transaction_id, kind, account, owner_id, program_id, merchant_id, currency, amount, reference_id, booked_on, created_at)
    select gen_random_uuid(), 'adjustment', 'merchant_expense', program_id, program_id, merchant_id, currency, ${amount}, affiliate_id, '${day}', now()
    from ledger_balance`;

it('the database refuses entries in a closed month, and the check finds figures that differ', async () => {
  const { merchantId, post, close } = await makeBooks(api);
  await post(at(month(-1)), 1_000);
  await close(month(-1));
  const planted = `${entryIn(`${month(-1)}-15`, 7)} where merchant_id = '${merchantId}'`;
  await expect(api.runtime.context(system).em.execute(planted)).rejects.toThrow('the month of a ledger entry is closed');
  const wrong = async (...statements: string[]) => {
    await runSql(ownerUrlOf(api), "set session_replication_role = 'replica'", ...statements);
    const found = await verifyLedger(api.runtime.context(system));
    return found.filter(({ rule, subject }) => rule.startsWith('figures of a closed month') && subject === merchantId);
  };
  expect(await wrong()).toEqual([]);
  const change = (sign: '+' | '-', column: string) =>
    `update ledger_period_total set ${column} = ${column} ${sign} 1 where merchant_id = '${merchantId}' and account = 'payable'`;
  for (const column of ['amount', 'entries', 'balance']) {
    expect(await wrong(change('+', column))).toHaveLength(1);
    expect(await wrong(change('-', column))).toEqual([]);
  }
  expect((await wrong(planted))[0]?.detail).toMatch(/merchant_expense usd: -993 in 2 entries, stored as -1000 in 1/);
});
