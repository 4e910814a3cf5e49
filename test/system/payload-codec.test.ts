import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Payload } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { WORKFLOWS } from '../../src/contracts/workflows/index.ts';
import { createPayloadCodec, dataConverterOf } from '../../src/temporal/payload-codec.ts';
import { makeApplication } from '../support/applications.ts';
import { makePayable, unique } from '../support/factories.ts';
import { makeFlag } from '../support/flags.ts';
import { readHistories } from '../support/histories.ts';
import { draftRun } from '../support/payout-runs.ts';
import { openTestSystem } from '../support/system.ts';
import { startTemporalServer } from '../support/temporal-server.ts';
import { until } from '../support/until.ts';
import { useForFile } from '../support/use-for-file.ts';

const key = randomBytes(32);
const own = { id: 'k1', key };
const keys = { keys: [own], current: own };
const codec = createPayloadCodec(keys);
/** With a server of its own: those without the key cannot list its Schedules. */
const system = useForFile(async () => {
  const server = await startTemporalServer({});
  const opened = await openTestSystem({
    env: { TEMPORAL_ADDRESS: server.address, TEMPORAL_PAYLOAD_KEYS: `k1:${key.toString('base64')}` },
  });
  return { ...opened, close: () => opened.close().finally(server.close) };
});

/** Search attributes are never encrypted, nor are markers, which the SDK writes itself. */
const READABLE = ['searchAttributes', 'markerRecordedEventAttributes'];

/** Without data, it stands for nothing at all. */
const isPayload = (value: object): value is Payload => (value as Payload).metadata?.['encoding'] instanceof Uint8Array;

/** Encodings of all other payloads in a value, and the payloads that are not encrypted as text. */
const payloadsIn = (value: unknown, found: { encrypted: number; readable: string[] }): typeof found => {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return found;
  if (isPayload(value)) {
    const encoding = Buffer.from(value.metadata?.['encoding'] ?? []).toString();
    if (encoding === 'binary/encrypted') found.encrypted++;
    else found.readable.push(`${encoding} ${Buffer.from(value.data ?? []).toString()}`);
    return found;
  }
  for (const [name, inner] of Object.entries(value)) if (!READABLE.includes(name)) payloadsIn(inner, found);
  return found;
};

test('TE4: with keys, a history holds nothing readable but search attributes, and is replayed with them', async () => {
  const { key: apiKey, affiliateId, programId } = await makePayable(system, { local: `ok+${unique()}` });
  const { data } = await system.call('POST', '/payouts', { key: apiKey, body: { affiliateId, programId } });
  await until(
    'the payout is completed',
    async () => (await system.call('GET', `/payouts/${data.id}`, { key: apiKey })).data.status,
    (status) => status === 'completed',
  );
  const handle = system.temporal.clients.finance.workflow.getHandle(`payout/${data.id}`);
  expect(await handle.result()).toMatchObject({ payoutId: data.id, status: 'completed' });
  const history = await handle.fetchHistory();
  const { encrypted, readable } = payloadsIn(history, { encrypted: 0, readable: [] });
  expect(encrypted).toBeGreaterThan(5);
  expect(readable).toEqual([]);
  const workflowBundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  await Worker.runReplayHistory({ workflowBundle, dataConverter: dataConverterOf(keys) }, history, `payout/${data.id}`);
  await expect(Worker.runReplayHistory({ workflowBundle }, history, `payout/${data.id}`)).rejects.toThrow();
});

/** A payout and its correction, a run, decisions, and what goes on in the background. */
const LIVE = ['applicationReview', 'flagReview', 'payoutCorrection', 'payoutLifecycle', 'payoutRun', 'screening', 'webhookLane'];

test('TE4: with keys, no workflow has a readable payload but search attributes', async () => {
  const payable = await makePayable(system, { local: `returned+${unique()}` });
  const { key: apiKey, affiliateId, programId } = payable;
  await system.call('POST', '/payouts', { key: apiKey, body: { affiliateId, programId } });
  await Promise.all([makeApplication(system), makeFlag(system), makePayable(system).then((other) => draftRun(system, other))]);
  const histories = async () => {
    const found: { type: string; history: History }[] = [];
    for (const client of Object.values(system.temporal.clients)) {
      for await (const { workflowId, runId, type } of client.workflow.list())
        found.push({ type, history: await client.workflow.getHandle(workflowId, runId).fetchHistory() });
    }
    return found;
  };
  const found = await until('a history of each type is listed', histories, (all) =>
    LIVE.every((type) => all.some((one) => one.type === type)),
  );
  for (const { type, history } of found) {
    const { encrypted, readable } = payloadsIn(history, { encrypted: 0, readable: [] });
    expect([type, readable, encrypted > 0]).toEqual([type, [], true]);
  }
});

/** Each payload as it would have been with the codec. */
const encrypt = async <T>(value: T): Promise<T> => {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return (await Promise.all(value.map(encrypt))) as T;
  if (isPayload(value)) return (await codec.encode([value]))[0] as T;
  if (value.constructor !== Object && Object.keys(value).length === 0) return value;
  const copy = Object.assign(Object.create(Object.getPrototypeOf(value)), value);
  for (const [name, inner] of Object.entries(value)) if (!READABLE.includes(name)) copy[name] = await encrypt(inner);
  return copy;
};

/** Encrypts a part of the events. */
const encrypted = async ({ events }: History, isEncrypted: (index: number, count: number) => boolean): Promise<History> => {
  const all = events ?? [];
  return { events: await Promise.all(all.map((event, index) => (isEncrypted(index, all.length) ? encrypt(event) : event))) };
};

const other = { id: 'k2', key: randomBytes(32) };
const ROTATED = { keys: [other, ...keys.keys], current: other };
const OFF = { keys: keys.keys, current: null };

it.each([
  ['that is readable is replayed with keys', () => false, keys],
  ['that is readable is replayed without keys', () => false, undefined],
  ['that is encrypted is replayed with its key', () => true, keys],
  ['that is encrypted is replayed after another key became the first', () => true, ROTATED],
  ['that is encrypted is replayed after encryption was turned off', () => true, OFF],
  ['that is encrypted from its middle on is replayed', (index: number, count: number) => index >= count / 2, keys],
  ['that is encrypted until its middle is replayed', (index: number, count: number) => index < count / 2, OFF],
] as const)('TE4: every recorded history %s', async (_title, isEncrypted, with_) => {
  const workflowBundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  const kept = await readHistories();
  const types = new Set(kept.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(WORKFLOWS).sort());
  async function* histories() {
    for (const { history } of kept) {
      const workflowId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
      const given = await encrypted(history, isEncrypted);
      if (isEncrypted(0, 2) && isEncrypted(1, 2)) readable.push(...payloadsIn(given, { encrypted: 0, readable: [] }).readable);
      yield { workflowId, history: given };
    }
  }
  const failed: string[] = [];
  const readable: string[] = [];
  let replayed = 0;
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle, dataConverter: dataConverterOf(with_) },
    histories(),
  )) {
    replayed++;
    if (error) failed.push(`${workflowId}: ${error.message}`);
  }
  expect(failed).toEqual([]);
  expect(readable).toEqual([]);
  expect(replayed).toBe(kept.length);
});

it('TE4: without its keys, an encrypted history is not replayed', async () => {
  const workflowBundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  const [first] = (await readHistories()).filter(({ type, path }) => type === 'payoutLifecycle' && path === 'ok');
  const history = await encrypted(first?.history ?? {}, () => true);
  expect(payloadsIn(history, { encrypted: 0, readable: [] })).toMatchObject({ encrypted: expect.any(Number), readable: [] });
  await expect(Worker.runReplayHistory({ workflowBundle }, history, 'payout/1')).rejects.toThrow();
});
