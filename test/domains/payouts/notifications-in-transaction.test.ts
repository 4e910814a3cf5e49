import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { inTransaction } from '../../../src/platform/context.ts';
import { rows, sql } from '../../../src/platform/database/sql.ts';
import { makeManualPayout } from '../../support/payouts.ts';
import { payByRail, rowsOf, transferOf, useRailApi } from '../../support/rail-payouts.ts';

const api = useRailApi();
const ctx = () => api.runtime.context({ kind: 'system', name: 'test' });

beforeEach(() => api.provider.onSubmit((order) => transferOf(order, 'accepted')));

afterEach(async () => {
  expect(await verifyLedger(ctx())).toEqual([]);
});

const signalsOf = (payoutId: string) =>
  rowsOf(api, `select payload, lease_id from outbox where topic = 'payout.changed' and subject_id = ?`, [payoutId]);

const effectsOf = async (payoutId: string) =>
  (await rowsOf(api, 'select effect from rail_notification where payout_id = ? order by received_at, id', [payoutId])).map(
    ({ effect }) => effect,
  );

it('the request that brings a notification completes the payout, and the signal carries what became of it', async () => {
  const { send, notify, read, payoutId, load } = await payByRail(api);
  const sent = await send();
  expect(sent).toMatchObject({ status: 'processing', attemptOutcome: 'accepted', sendCount: 1 });
  expect((await notify('paid')).data).toEqual({ outcome: 'recorded' });
  expect(await read()).toMatchObject({ status: 'completed' });
  expect(await effectsOf(payoutId)).toEqual(['applied']);
  const [signal, ...more] = await signalsOf(payoutId);
  expect(more).toEqual([]);
  expect(signal.payload.snapshot).toEqual(await load());
  expect(signal.payload.snapshot).toMatchObject({ status: 'completed', attemptOutcome: 'paid' });
  expect(signal.payload.snapshot.version).toBeGreaterThan(sent.version);
});

it('each change of a payout or its attempt has a higher version', async () => {
  const { send, notify, load, bookReturn, lookUp, order } = await payByRail(api);
  const versions = [(await load()).version, (await send()).version];
  api.provider.onLookUp(() => transferOf({ ...order, amount: 1 }, 'paid'));
  versions.push((await lookUp()).version);
  for (const status of ['paid', 'returned'] as const) {
    await notify(status);
    versions.push((await load()).version);
  }
  await bookReturn();
  versions.push((await load()).version);
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
});

it('a notification that changes nothing waits for no lock', async () => {
  const { send, notify, payoutId } = await payByRail(api);
  await send();
  await inTransaction(ctx(), async (holder) => {
    await rows(
      holder.em,
      sql`select 1 from payout p join ledger_balance b using (affiliate_id) where p.id = ${payoutId}::uuid for update`,
    );
    expect((await notify('accepted', { id: 'ntc_again' })).data).toEqual({ outcome: 'recorded' });
    expect((await notify('accepted', { id: 'ntc_again' })).data).toEqual({ outcome: 'repeated' });
  });
  expect(await effectsOf(payoutId)).toEqual(['stale']);
  expect(await signalsOf(payoutId)).toEqual([]);
});

it('the same notification twenty times at once is applied once', async () => {
  const { send, notify, payoutId, read } = await payByRail(api);
  await send();
  const responses = await Promise.all(Array.from({ length: 20 }, () => notify('paid', { id: 'ntc_twenty' })));
  const outcomes = responses.map(({ data }) => data?.outcome);
  expect(outcomes.filter((outcome) => outcome === 'recorded')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'repeated')).toHaveLength(19);
  expect(await effectsOf(payoutId)).toEqual(['applied']);
  expect(await read()).toMatchObject({ status: 'completed' });
});

it('a signal that still waits gets the newer state, also while it is being relayed', async () => {
  const { payoutId, act } = await makeManualPayout(api);
  await act('process');
  const [first] = await signalsOf(payoutId);
  expect(first.payload.snapshot).toMatchObject({ status: 'processing' });
  await rowsOf(
    api,
    `update outbox set lease_id = uuidv7(), lease_expires_at = now() + interval '1 minute' where subject_id = ?`,
    [payoutId],
  );
  await act('complete');
  const [second, ...more] = await signalsOf(payoutId);
  expect(more).toEqual([]);
  expect(second).toMatchObject({ lease_id: null, payload: { snapshot: { status: 'completed' } } });
  expect(second.payload.snapshot.version).toBeGreaterThan(first.payload.snapshot.version);
});

it('an older state never replaces a newer one that waits', async () => {
  const { payoutId, act } = await makeManualPayout(api);
  await act('process');
  await rowsOf(
    api,
    `update outbox set payload = jsonb_set(payload, '{snapshot,version}', '99') where subject_id = ? and topic = 'payout.changed'`,
    [payoutId],
  );
  await act('complete');
  const [signal] = await signalsOf(payoutId);
  expect(signal.payload.snapshot).toMatchObject({ version: 99, status: 'processing' });
});
