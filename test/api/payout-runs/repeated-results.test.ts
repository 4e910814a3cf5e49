import { verifyLedger } from '../../../src/domains/ledger/index.ts';
import { useOwnApi } from '../../support/api.ts';
import { rowsOf } from '../../support/rail-payouts.ts';
import { makeManualRun } from './by-hand.ts';

const api = useOwnApi();

const TODAY = new Date().toISOString().slice(0, 10);
const dayAfter = (days: number): string => new Date(Date.parse(TODAY) + days * 86_400_000).toISOString().slice(0, 10);

interface Line {
  result: 'paid' | 'failed' | 'returned';
  ref?: string;
  day?: string;
}

/** One payout that is processing, and the results that are imported for it. */
const make = async () => {
  const run = await makeManualRun(api, 1);
  const [payoutId = ''] = run.payoutIds;
  await run.act('process');
  // So that several days have passed since.
  await rowsOf(api, `update payout set created_at = created_at - interval '20 days' where id = ?`, [payoutId]);
  const send = async ({ result, ref = '', day = '' }: Line): Promise<string> => {
    const csv = `payoutId,bankReference,executedAt,result\n${payoutId},${ref},${day},${result}\n`;
    const [line] = (await run.act('results', { csv })).data.lines;
    return [line.result, line.reason].filter(Boolean).join(' ');
  };
  const read = async () => (await api.call('GET', `/payouts/${payoutId}`, { key: run.key })).data;
  const timeline = async () => (await api.call('GET', `/payouts/${payoutId}/timeline`, { key: run.key })).data;
  return { ...run, payoutId, send, read, timelineOf: timeline };
};

afterEach(async () => {
  expect(await verifyLedger(api.runtime.context({ kind: 'system', name: 'test' }))).toEqual([]);
});

const PAID = { result: 'paid', ref: 'SCT 1', day: dayAfter(-5) } as const;
const BACK = { result: 'returned', ref: 'R 1', day: dayAfter(-2) } as const;

test.each<[string, Line[], Line, string]>([
  ['the same payment', [PAID], PAID, 'unchanged'],
  ['the same payment without facts', [PAID], { result: 'paid' }, 'unchanged'],
  ['its reference with other blanks and case', [PAID], { ...PAID, ref: 'sct1' }, 'unchanged'],
  ['its day in another zone', [PAID], { ...PAID, day: dayAfter(-4) }, 'unchanged'],
  ['a reference that was unknown', [{ result: 'paid' }], { result: 'paid', ref: 'SCT 1' }, 'done'],
  ['a date that was unknown', [{ result: 'paid', ref: 'SCT 1' }], PAID, 'done'],
  ['another reference', [PAID], { result: 'paid', ref: 'SCT 2' }, 'refused OTHER_REFERENCE'],
  ['another reference on the same day', [PAID], { ...PAID, ref: 'SCT 2' }, 'refused OTHER_REFERENCE'],
  ['another date', [PAID], { result: 'paid', day: dayAfter(-1) }, 'refused OTHER_DATE'],
  ['a second payment', [PAID], { result: 'paid', ref: 'SCT 2', day: dayAfter(-1) }, 'refused PAID_TWICE'],
  ['a failure of what was paid', [PAID], { result: 'failed' }, 'refused ALREADY_COMPLETED'],
  ['its return', [PAID], BACK, 'done'],
  ['the return of what is being paid', [], BACK, 'refused NEVER_PAID'],
  ['the return of what failed', [{ result: 'failed' }], BACK, 'refused NEVER_PAID'],
  ['the payment of what failed', [{ result: 'failed' }], PAID, 'refused ILLEGAL_TRANSITION'],
  ['the same failure', [{ result: 'failed', ref: 'F 1' }], { result: 'failed', ref: 'F 1' }, 'unchanged'],
  ['the reference of a failure', [{ result: 'failed' }], { result: 'failed', ref: 'F 1' }, 'done'],
  ['the same return', [PAID, BACK], BACK, 'unchanged'],
  ['the same return without facts', [PAID, BACK], { result: 'returned' }, 'unchanged'],
  ['the reference of a return', [PAID, { result: 'returned' }], { result: 'returned', ref: 'R 1' }, 'done'],
  ['another return', [PAID, BACK], { result: 'returned', ref: 'R 2' }, 'refused OTHER_REFERENCE'],
  ['a return on another day', [PAID, BACK], { result: 'returned', day: TODAY }, 'refused OTHER_DATE'],
  ['the payment that came back', [PAID, BACK], PAID, 'unchanged'],
  ['the date of the payment that came back', [{ result: 'paid', ref: 'SCT 1' }, BACK], PAID, 'done'],
  ['another date of the payment that came back', [PAID, BACK], { ...PAID, day: dayAfter(-9) }, 'refused OTHER_DATE'],
  ['a second payment after the first came back', [PAID, BACK], { result: 'paid', ref: 'SCT 2' }, 'refused PAID_TWICE'],
  ['a payment of which nothing is known that came back', [{ result: 'paid' }, BACK], PAID, 'refused PAID_TWICE'],
  ['a failure of what came back', [PAID, BACK], { result: 'failed' }, 'refused ALREADY_COMPLETED'],
])('MN6: %s', async (_what, before, line, expected) => {
  const { send, read, timelineOf } = await make();
  for (const earlier of before) expect(await send(earlier)).toBe('done');
  const [payout, entries] = [await read(), await timelineOf()];
  expect(await send(line)).toBe(expected);
  if (expected === 'done') return;
  expect(await read()).toEqual(payout);
  expect(await timelineOf()).toEqual(entries);
});

test('MN6: late facts are on the payout and its timeline, and found by a search', async () => {
  const { key, payoutId, send, read, timelineOf } = await make();
  expect(await send({ result: 'paid' })).toBe('done');
  const { completedAt } = await read();
  expect(await send(PAID)).toBe('done');
  expect(await send(PAID)).toBe('unchanged');
  expect(await read()).toMatchObject({
    ...{ status: 'completed', bankReference: 'SCT 1', executedAt: `${PAID.day}T00:00:00.000Z`, completedAt },
  });
  expect((await timelineOf()).at(-1)).toMatchObject({
    ...{ type: 'payment_details_added', railReference: 'SCT 1', from: null, to: null },
    description: 'Bank reference and date of the payment added',
  });
  const found = async (reference: string) =>
    (await api.call('GET', '/payouts', { key, query: { reference } })).data.map(({ id }: { id: string }) => id);
  expect(await found('SCT 1')).toEqual([payoutId]);
  expect(await send({ result: 'returned' })).toBe('done');
  expect(await send(BACK)).toBe('done');
  expect(await found('R 1')).toEqual([payoutId]);
  expect((await timelineOf()).map(({ type }: { type: string }) => type).slice(-2)).toEqual([
    'marked_returned',
    'payment_details_added',
  ]);
});

test('MN6: two payments of one payout in one file are told apart from a line that is there twice', async () => {
  const { act, payoutId } = await make();
  const of = (second: string) => ({ csv: `payoutId,bankReference,result\n${payoutId},SCT 1,paid\n${payoutId},${second},paid\n` });
  const reasons = async (second: string) =>
    (await act('results', of(second))).data.lines.map(({ reason }: { reason: string | null }) => reason);
  expect(await reasons('SCT 2')).toEqual([null, 'PAID_TWICE']);
  expect(await reasons('sct1')).toEqual([null, 'VALIDATION_ERROR']);
});

test('MN6: what is marked by name adds late dates too, and says so', async () => {
  const { act, payoutId, read } = await make();
  const complete = (executedAt?: string) =>
    act('complete', { payoutIds: [payoutId], ...(executedAt === undefined ? {} : { executedAt }) });
  const resultOf = async (sent: ReturnType<typeof act>) => (await sent).data.items[0];
  expect(await resultOf(complete())).toMatchObject({ result: 'done' });
  expect(await resultOf(complete(`${PAID.day}T09:00:00Z`))).toMatchObject({ result: 'done' });
  expect((await read()).executedAt).toBe(`${PAID.day}T09:00:00.000Z`);
  expect(await resultOf(complete(`${PAID.day}T10:00:00Z`))).toMatchObject({ result: 'unchanged' });
  expect(await resultOf(complete(`${dayAfter(-1)}T10:00:00Z`))).toMatchObject({ result: 'refused', reason: 'OTHER_DATE' });
  const back = () => act('return', { payoutIds: [payoutId], note: 'Account closed' });
  expect([(await resultOf(back())).result, (await resultOf(back())).result]).toEqual(['done', 'unchanged']);
});

test('MN6: the same file twice at the same time adds each fact once', async () => {
  const { act, payoutId, timelineOf } = await make();
  await act('results', { csv: `payoutId,result\n${payoutId},paid\n` });
  const csv = `payoutId,bankReference,result\n${payoutId},SCT 1,paid\n`;
  const reports = await Promise.all([act('results', { csv }), act('results', { csv })]);
  expect(reports.map(({ data }) => data.lines[0].result).toSorted()).toEqual(['done', 'unchanged']);
  const added = (await timelineOf()).filter(({ type }: { type: string }) => type === 'payment_details_added');
  expect(added).toHaveLength(1);
});
