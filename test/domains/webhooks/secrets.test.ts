import { Webhook } from 'standardwebhooks';
import {
  revokeOldWebhookEndpointSecrets,
  rotateWebhookEndpointSecret,
} from '../../../src/domains/webhooks/use-cases/webhook-endpoint-secret.ts';
import { execute, rows, sql } from '../../../src/platform/database/sql.ts';
import { unique } from '../../support/factories.ts';
import { bytesOf, headerOf, useReceiver } from '../../support/receiver/receiver.ts';
import { type TestMerchant, useWebhookBench } from './support.ts';

const bench = useWebhookBench();
const receiver = useReceiver();

const HOUR = 3_600_000;

const begin = async () => {
  const merchant = await bench.merchant();
  const path = `/status/200/s${unique()}`;
  return { merchant, path, endpoint: await merchant.endpoint({ url: receiver.url(path) }) };
};

/** Which of the secrets, in the order of the header, signed the newest delivery. */
const signersOf = async (merchant: TestMerchant, path: string, secrets: string[]): Promise<number[]> => {
  const [id = ''] = await merchant.emit();
  await bench.attempt(id);
  const request = (await receiver.received(path)).at(-1);
  if (!request) throw new Error('nothing came');
  const body = bytesOf(request).toString();
  // The clock of the test runs ahead of the verifier's: the signature is compared, not its age.
  const at = new Date(Number(headerOf(request, 'webhook-timestamp')) * 1_000);
  const own = secrets.map((secret) => new Webhook(secret).sign(headerOf(request, 'webhook-id'), at, body));
  return headerOf(request, 'webhook-signature')
    .split(' ')
    .map((signature) => own.indexOf(signature));
};

const ciphertextsOf = (merchant: TestMerchant, endpointId: string) =>
  rows(
    merchant.ctx().em,
    sql<{ ciphertext: string }>`select ciphertext from webhook_secret where endpoint_id = ${endpointId}::uuid`,
  );

test('both secrets sign for a day, the new one first; then the old one is deleted', async () => {
  const { merchant, path, endpoint } = await begin();
  const { signingSecret } = await rotateWebhookEndpointSecret(merchant.ctx(), { id: endpoint.id });
  const secrets = [signingSecret, endpoint.signingSecret];
  expect(await signersOf(merchant, path, secrets)).toEqual([0, 1]);
  bench.clock.advance(24 * HOUR - 10_000);
  expect(await signersOf(merchant, path, secrets)).toEqual([0, 1]);
  bench.clock.advance(20_000);
  expect(await signersOf(merchant, path, secrets)).toEqual([0]);
  expect(await ciphertextsOf(merchant, endpoint.id)).toHaveLength(1);
});

test('each attempt is signed with the secrets of that time', async () => {
  const merchant = await bench.merchant();
  const path = `/sequence/500,200/s${unique()}`;
  const endpoint = await merchant.endpoint({ url: receiver.url(path) });
  const [id = ''] = await merchant.emit();
  const waiting = await bench.attempt(id);
  await rotateWebhookEndpointSecret(merchant.ctx(), { id: endpoint.id });
  bench.clock.advance((waiting as { waitMs: number }).waitMs);
  await bench.attempt(id);
  const [before, after] = await receiver.received(path);
  if (!before || !after) throw new Error('too few requests');
  expect(headerOf(before, 'webhook-signature').split(' ')).toHaveLength(1);
  expect(headerOf(after, 'webhook-signature').split(' ')).toHaveLength(2);
  expect((await merchant.delivery(id)).attempts.map((attempt) => attempt.secretIds.length)).toEqual([1, 2]);
});

test('at most three secrets are live, and rotating does not extend the life of an old one', async () => {
  const { merchant, path, endpoint } = await begin();
  const secrets = [endpoint.signingSecret];
  for (let round = 0; round < 4; round += 1) {
    bench.clock.advance(HOUR);
    secrets.unshift((await rotateWebhookEndpointSecret(merchant.ctx(), { id: endpoint.id })).signingSecret);
  }
  expect(new Set(secrets).size).toBe(5);
  expect(await signersOf(merchant, path, secrets)).toEqual([0, 1, 2]);
  expect(await ciphertextsOf(merchant, endpoint.id)).toHaveLength(3);
  bench.clock.advance(23.5 * HOUR);
  expect(await signersOf(merchant, path, secrets)).toEqual([0, 1]);
});

test('after the old secrets are revoked, the next attempt of a waiting delivery is signed with the current one only', async () => {
  const merchant = await bench.merchant();
  const path = `/sequence/500,200/s${unique()}`;
  const endpoint = await merchant.endpoint({ url: receiver.url(path) });
  await rotateWebhookEndpointSecret(merchant.ctx(), { id: endpoint.id });
  const [id = ''] = await merchant.emit();
  const waiting = await bench.attempt(id);
  await revokeOldWebhookEndpointSecrets(merchant.ctx(), { id: endpoint.id });
  bench.clock.advance((waiting as { waitMs: number }).waitMs);
  await bench.attempt(id);
  const signatures = (await receiver.received(path)).map((request) => headerOf(request, 'webhook-signature').split(' '));
  expect(signatures.map(({ length }) => length)).toEqual([2, 1]);
  expect(await ciphertextsOf(merchant, endpoint.id)).toHaveLength(1);
});

test('concurrent rotations are applied one after the other', async () => {
  const { merchant, path, endpoint } = await begin();
  const made = await Promise.all(
    Array.from({ length: 5 }, () => rotateWebhookEndpointSecret(merchant.ctx(), { id: endpoint.id })),
  );
  const signers = await signersOf(
    merchant,
    path,
    made.map((one) => one.signingSecret),
  );
  expect(signers).toHaveLength(3);
  expect(signers).not.toContain(-1);
});

test('secrets are stored encrypted, each bound to its row', async () => {
  const { merchant, endpoint } = await begin();
  const other = await begin();
  const [own] = await ciphertextsOf(merchant, endpoint.id);
  expect(own?.ciphertext).toMatch(/^v1\.test\./);
  expect(own?.ciphertext).not.toContain(endpoint.signingSecret.slice(6));
  await execute(
    merchant.ctx().em,
    sql`update webhook_secret set ciphertext = ${own?.ciphertext} where endpoint_id = ${other.endpoint.id}::uuid`,
  );
  const [id = ''] = await other.merchant.emit();
  await expect(bench.attempt(id)).rejects.toThrow();
  expect((await other.merchant.delivery(id)).attempts).toHaveLength(0);
  expect(await receiver.received(other.path)).toHaveLength(0);
});
