import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Worker } from '@temporalio/worker';
import { dataConverterOf } from '../../src/relay/payload-codec.ts';
import { makePayable, unique } from '../support/factories.ts';
import { readHistories } from '../support/histories.ts';
import { openTestSystem, until } from '../support/system.ts';
import { startTemporalServer } from '../support/temporal-server.ts';
import { useForFile } from '../support/use-for-file.ts';

const key = randomBytes(32);
const keys = [{ id: 'k1', key }];
/** With a server of its own: those without the key cannot list its Schedules. */
const system = useForFile(async () => {
  const server = await startTemporalServer({});
  const opened = await openTestSystem({
    env: { TEMPORAL_ADDRESS: server.address, TEMPORAL_PAYLOAD_KEYS: `k1:${key.toString('base64')}` },
  });
  return { ...opened, close: () => opened.close().finally(server.close) };
}, 120_000);

/** Encodings of all payloads in a value, and the payloads that are not encrypted as text. */
const payloadsIn = (value: unknown, found: { encrypted: number; readable: string[] }): typeof found => {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return found;
  const { metadata, data } = value as { metadata?: Record<string, Uint8Array>; data?: Uint8Array };
  if (metadata?.['encoding'] instanceof Uint8Array) {
    const isEncrypted = Buffer.from(metadata['encoding']).toString() === 'binary/encrypted';
    if (isEncrypted) found.encrypted++;
    else found.readable.push(Buffer.from(data ?? []).toString());
    return found;
  }
  for (const [name, inner] of Object.entries(value)) if (name !== 'searchAttributes') payloadsIn(inner, found);
  return found;
};

test('TE4: with keys, a history holds nothing readable but search attributes, and is replayed with them', async () => {
  const { key: apiKey, affiliateId, programId } = await makePayable(system, { local: `ok+${unique()}` });
  const { data } = await system.call('POST', '/payouts', { key: apiKey, body: { affiliateId, programId } });
  await until(
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
}, 60_000);

test('TE4: histories from before the keys are replayed with them', async () => {
  const workflowBundle = { code: await readFile(process.env['TEST_WORKFLOW_BUNDLE'] ?? '', 'utf8') };
  const kept = (await readHistories()).filter(({ type }) => type === 'payoutLifecycle');
  expect(kept.length).toBeGreaterThan(3);
  for (const { history } of kept) {
    const workflowId = history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? '';
    await Worker.runReplayHistory({ workflowBundle, dataConverter: dataConverterOf(keys) }, history, workflowId);
  }
}, 60_000);
