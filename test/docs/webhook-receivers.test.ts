import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliveryHeaders } from '../../src/domains/webhooks/deliveries/signature.steps.ts';
import { findFreePort } from '../../src/local/stack/index.ts';
import { generateSigningSecret } from '../../src/platform/crypto/standard-webhooks.ts';
import { isListening } from '../support/is-listening.ts';
import { until } from '../support/until.ts';
import { killSample, readSamples, startSample } from './samples.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-receivers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const eventBody = (id: string): Buffer => Buffer.from(JSON.stringify({ id, type: 'payout.completed', data: { name: 'Zoë €' } }));

test.each(['receiver.mjs', 'receiver.py'])('N5: %s of the webhooks guide verifies what Tributary signs', async (file) => {
  const secret = generateSigningSecret();
  const port = await findFreePort(0);
  const sample = (await readSamples('docs/guides/webhooks.md')).find((one) => one.file === file);
  if (!sample) throw new Error(`the guide has no ${file}`);
  const child = await startSample(sample, { folder, env: { WEBHOOK_SECRET: secret, PORT: String(port) } });
  let printed = '';
  child.stdout?.on('data', (chunk) => (printed += String(chunk)));
  try {
    await until('the receiver listens', () => isListening(port));
    const send = async (eventId: string, options: { secrets?: string[]; at?: Date; body?: Buffer } = {}): Promise<number> => {
      const signed = eventBody(eventId);
      const { secrets = [secret], at = new Date() } = options;
      const headers = deliveryHeaders({ eventId, at, body: signed, secrets });
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: options.body ?? signed });
      return response.status;
    };
    const other = generateSigningSecret();
    expect([await send('evt-1'), await send('evt-1'), await send('evt-2', { secrets: [other, secret] })]).toEqual([
      200, 200, 200,
    ]);
    expect(await send('evt-3', { secrets: [other] })).toBe(401);
    expect(await send('evt-4', { body: eventBody('evt-5') })).toBe(401);
    expect(await send('evt-6', { at: new Date(Date.now() - 301_000) })).toBe(401);
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect(printed.trim().split('\n')).toEqual(['received payout.completed evt-1', 'received payout.completed evt-2']);
  } finally {
    killSample(child);
    await once(child, 'close');
  }
});
