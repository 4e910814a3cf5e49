import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  certificateAddress,
  certificatesIn,
  createCertificateSource,
  isTrusted,
} from '../../../src/domains/payouts/rails/paypal/paypal-certificates.ts';
import { type NoticeReader, readPayPalNotice } from '../../../src/domains/payouts/rails/paypal/paypal-notices.ts';
import { createSigner, type Signer } from '../../../src/local/paypal-double/certificates.ts';
import { CERTIFICATE_PATH, signedNotice } from '../../../src/local/paypal-double/notices.ts';
import { BATCH_ID, batch, ITEM_ID, item, order, TRANSACTION_ID } from '../../unit/rails/paypal/support.ts';

const WEBHOOK = '8PT597110X687430LKGECATA';
const URL_OF_PAYPAL = 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-360caa42-double';

let signer: Signer;
let server: Server;
let standIn: string;
/** What is served in place of certificates. */
let served: { status: number; chain: string };
let fetched = 0;

beforeAll(async () => {
  signer = await createSigner();
  served = { status: 200, chain: signer.chainPem };
  server = createServer((request, response) => {
    const isRoot = request.url === '/double/root.pem';
    if (request.url === CERTIFICATE_PATH) fetched += 1;
    response.writeHead(isRoot ? 200 : served.status).end(isRoot ? signer.rootPem : served.chain);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  standIn = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  served = { status: 200, chain: signer.chainPem };
  fetched = 0;
});

const readerOf = (change: Partial<NoticeReader> = {}): NoticeReader => ({
  environment: 'sandbox',
  webhookId: WEBHOOK,
  certificates: createCertificateSource('sandbox', standIn),
  now: new Date(),
  ...change,
});

const event = (type: string, resource: unknown) => ({
  id: 'WH-1',
  event_type: type,
  create_time: '2026-01-15T09:30:04Z',
  resource,
});
const { errors: _errors, ...resource } = { errors: null, ...item() };
const succeeded = event('PAYMENT.PAYOUTS-ITEM.SUCCEEDED', resource);

const read = (
  given: object,
  { headers: changed = {}, reader = readerOf(), body }: { headers?: object; reader?: NoticeReader; body?: string } = {},
) => {
  const { headers, body: signed } = signedNotice(signer, WEBHOOK, given);
  return readPayPalNotice({ headers: { ...headers, ...changed }, rawBody: Buffer.from(body ?? signed) }, reader);
};

test('a payment that succeeded is told with its ids and amount', async () => {
  const [notice] = (await read(succeeded)) as object[];
  const { idempotencyKey, reference, amountMinor, currency } = order;
  expect(notice).toMatchObject({
    ...{ externalId: 'WH-1', idempotencyKey, status: 'paid', state: 'SUCCESS', railReference: BATCH_ID },
    references: { batch: BATCH_ID, item: ITEM_ID, transaction: TRANSACTION_ID },
    record: { reference, amountMinor, currency },
    occurredAt: new Date('2026-01-15T09:30:04Z'),
  });
});

test.each([
  ['PAYMENT.PAYOUTS-ITEM.HELD', 'accepted'],
  ['PAYMENT.PAYOUTS-ITEM.UNCLAIMED', 'accepted'],
  ['PAYMENT.PAYOUTS-ITEM.FAILED', null],
  ['PAYMENT.PAYOUTS-ITEM.BLOCKED', null],
  ['PAYMENT.PAYOUTS-ITEM.RETURNED', 'returned'],
  ['PAYMENT.PAYOUTS-ITEM.CANCELED', null],
  ['PAYMENT.PAYOUTS-ITEM.REFUNDED', 'returned'],
  ['PAYMENT.PAYOUTS-ITEM.DENIED', null],
])('%s tells %p by itself', async (type, status) => {
  expect(await read(event(type, resource))).toMatchObject([{ status, failureCode: null, railReference: BATCH_ID }]);
});

test.each(['RETURNED', 'REFUNDED'])('an item that is %s proves nothing before PayPal confirms it', async (name) => {
  expect(await read(event(`PAYMENT.PAYOUTS-ITEM.${name}`, resource))).toMatchObject([{ isHint: true }]);
});

test.each(['DENIED', 'PROCESSING', 'SUCCESS'])('a batch that is %s makes us ask', async (name) => {
  const told = await read(event(`PAYMENT.PAYOUTSBATCH.${name}`, { batch_header: batch().batch_header }));
  expect(told).toMatchObject([{ status: null, record: null, idempotencyKey: order.idempotencyKey }]);
});

test('a type that nobody asked for is ignored, payouts of other software are foreign, and nonsense is unreadable', async () => {
  expect(await read(event('PAYMENT.CAPTURE.COMPLETED', {}))).toEqual([]);
  const others = event('PAYMENT.PAYOUTS-ITEM.SUCCEEDED', { ...resource, sender_batch_id: 'invoice-7' });
  expect(await read(others)).toMatchObject({ unread: 'foreign' });
  expect(await read(event('PAYMENT.PAYOUTS-ITEM.SUCCEEDED', { id: 1 }))).toMatchObject({ unread: 'unreadable' });
  expect(await read({ id: 'WH-1' })).toMatchObject({ unread: 'unreadable' });
});

test('a payment without our payout id proves nothing', async () => {
  const anonymous = { ...resource, payout_item: { ...resource.payout_item, sender_item_id: undefined } };
  expect(await read(event('PAYMENT.PAYOUTS-ITEM.SUCCEEDED', anonymous))).toMatchObject([{ record: null }]);
});

test.each<[string, object]>([
  ['another transmission', { 'paypal-transmission-id': 'another' }],
  ['another time', { 'paypal-transmission-time': '2026-01-01T00:00:00Z' }],
  ['another algorithm', { 'paypal-auth-algo': 'SHA1withRSA' }],
  ['no signature', { 'paypal-transmission-sig': undefined }],
  ['a signature that is no base64', { 'paypal-transmission-sig': '%%%' }],
  ['a certificate of somebody else', { 'paypal-cert-url': 'https://evil.example/v1/notifications/certs/X' }],
])('a notice with %s is rejected', async (_what, headers) => {
  expect(await read(succeeded, { headers })).toMatchObject({ unread: 'rejected' });
});

test('a notice with another body, of another webhook or without one is rejected', async () => {
  expect(await read(succeeded, { body: JSON.stringify(succeeded).replace('125.00', '999.00') })).toMatchObject({
    unread: 'rejected',
  });
  for (const webhookId of ['ANOTHER', undefined])
    expect(await read(succeeded, { reader: readerOf({ webhookId }) })).toMatchObject({ unread: 'rejected' });
});

test('a certificate is fetched once, and a notice waits while it cannot be', async () => {
  const reader = readerOf();
  served = { status: 200, chain: 'not a certificate' };
  expect(await read(succeeded, { reader })).toMatchObject({ unread: 'try_later' });
  served = { status: 503, chain: signer.chainPem };
  expect(await read(succeeded, { reader })).toMatchObject({ unread: 'try_later' });
  served = { status: 302, chain: signer.chainPem };
  expect(await read(succeeded, { reader })).toMatchObject({ unread: 'try_later' });
  served = { status: 200, chain: 'x'.repeat(70_000) };
  expect(await read(succeeded, { reader })).toMatchObject({ unread: 'try_later' });
  served = { status: 200, chain: signer.chainPem };
  for (let n = 0; n < 3; n += 1) expect(await read(succeeded, { reader })).toHaveLength(1);
  expect(fetched).toBe(5);
});

test('PayPal says that there is no such certificate: the notice is forged', async () => {
  served = { status: 404, chain: '' };
  expect(await read(succeeded)).toMatchObject({ unread: 'rejected' });
});

test('a key that cannot be reached makes the notice wait', async () => {
  const certificates = createCertificateSource('sandbox', 'http://127.0.0.1:9');
  expect(await read(succeeded, { reader: readerOf({ certificates }) })).toMatchObject({ unread: 'try_later' });
});

test('nobody signs with a certificate of their own that has the right name', async () => {
  const own = await createSigner();
  served = { status: 200, chain: own.chainPem };
  const { headers, body } = signedNotice(own, WEBHOOK, succeeded);
  expect(await readPayPalNotice({ headers, rawBody: Buffer.from(body) }, readerOf())).toMatchObject({ unread: 'rejected' });
});

test.each<[string, boolean]>([
  [URL_OF_PAYPAL, true],
  ['https://api-m.sandbox.paypal.com/v1/notifications/certs/CERT-1', true],
  ['https://api.paypal.com/v1/notifications/certs/CERT-1', false],
  ['http://api.sandbox.paypal.com/v1/notifications/certs/CERT-1', false],
  ['https://api.sandbox.paypal.com:8443/v1/notifications/certs/CERT-1', false],
  ['https://user@api.sandbox.paypal.com/v1/notifications/certs/CERT-1', false],
  ['https://api.sandbox.paypal.com.evil.example/v1/notifications/certs/CERT-1', false],
  ['https://evil.example/https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1', false],
  ['https://api.sandbox.paypal.com/v1/notifications/certs/../../x', false],
  ['https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1?x=1', false],
  ['https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1#x', false],
  ['https://api.sandbox.paypal.com/v1/checkout/CERT-1', false],
  [`https://api.sandbox.paypal.com/v1/notifications/certs/${'x'.repeat(600)}`, false],
  ['', false],
])('%s is an address of PayPal: %p', (text, isPayPal) => {
  expect(certificateAddress(text, 'sandbox') !== null).toBe(isPayPal);
});

test('each environment has hosts of its own', () => {
  expect(certificateAddress('https://api.paypal.com/v1/notifications/certs/CERT-1', 'live')).not.toBeNull();
  expect(certificateAddress(URL_OF_PAYPAL, 'live')).toBeNull();
});

const trust = (chainPem: string, change: { now?: Date; environment?: 'live' | 'sandbox'; rootPem?: string } = {}) => {
  const roots = certificatesIn(change.rootPem ?? signer.rootPem);
  return isTrusted(certificatesIn(chainPem), {
    environment: change.environment ?? 'sandbox',
    roots,
    now: change.now ?? new Date(),
  });
};

test('a certificate is trusted by its chain, its name and its time', async () => {
  expect(trust(signer.chainPem)).toBe(true);
  expect(trust(signer.chainPem, { environment: 'live' })).toBe(false);
  expect(trust(signer.chainPem, { now: new Date(Date.now() + 400 * 86_400_000) })).toBe(false);
  expect(trust(signer.chainPem, { now: new Date(Date.now() - 2 * 86_400_000) })).toBe(false);
  // The issuer in between is missing, or the root is another.
  expect(trust(signer.chainPem.slice(0, signer.chainPem.indexOf('-----END') + 26))).toBe(false);
  expect(trust(signer.chainPem, { rootPem: (await createSigner()).rootPem })).toBe(false);
  expect(trust('')).toBe(false);
});

test.each([
  'evil.paypal.com',
  'messageverificationcerts.sandbox.paypal.com.evil.example',
  'xmessageverificationcerts.sandbox.paypal.com',
])('a certificate in the name of %s is not trusted', async (name) => {
  const other = await createSigner({ name });
  expect(trust(other.chainPem, { rootPem: other.rootPem })).toBe(false);
});

test('a certificate that may not issue others issues none', async () => {
  const [leaf] = certificatesIn(signer.chainPem) as [X509Certificate];
  expect(leaf.ca).toBe(false);
  expect(isTrusted([leaf, leaf], { environment: 'sandbox', roots: [leaf], now: new Date() })).toBe(false);
});
