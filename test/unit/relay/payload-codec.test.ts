import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { buildCodecServer } from '../../../src/cli/codec-server.ts';
import { createPayloadCodec } from '../../../src/temporal/payload-codec.ts';

const OLD = { id: 'k1', key: randomBytes(32) };
const NEW = { id: 'k2', key: randomBytes(32) };
const codec = createPayloadCodec({ keys: [NEW, OLD], current: NEW });
const oldCodec = createPayloadCodec({ keys: [OLD], current: OLD });

const payloadOf = (value: unknown): Payload => {
  const payload = defaultPayloadConverter.toPayload(value);
  if (!payload) throw new Error('no payload');
  return payload;
};
const decodedOf = (payload: Payload | undefined): unknown => payload && defaultPayloadConverter.fromPayload(payload);
const plain = payloadOf({ to: 'MAYA', amount: '48.60 USD' });

test('TE4: a payload is encrypted under the first key, never twice alike, and decrypted by any key', async () => {
  const [first, second] = await codec.encode([plain, plain]);
  expect(Buffer.from(first?.data ?? []).toString('latin1')).not.toContain('MAYA');
  expect(Buffer.from(first?.metadata?.['encryption-key-id'] ?? []).toString()).toBe('k2');
  expect(first?.data).not.toEqual(second?.data);
  const [old] = await oldCodec.encode([plain]);
  const decoded = await codec.decode([first, second, old, plain].flatMap((payload) => payload ?? []));
  expect(decoded.map(decodedOf)).toEqual(Array(4).fill({ to: 'MAYA', amount: '48.60 USD' }));
});

test('TE4: once encryption is turned off, the keys decrypt what there is, and nothing new is encrypted', async () => {
  const off = createPayloadCodec({ keys: [OLD], current: null });
  const [encrypted] = await oldCodec.encode([plain]);
  const [readable] = await off.encode([plain]);
  expect(readable).toEqual(plain);
  expect((await off.decode([encrypted ?? plain, plain])).map(decodedOf)).toEqual(
    Array(2).fill({ to: 'MAYA', amount: '48.60 USD' }),
  );
});

test('TE4: a payload that was changed, or whose key is unknown, is an error', async () => {
  const [encrypted] = await codec.encode([plain]);
  const data = Buffer.from(encrypted?.data ?? []);
  data.writeUInt8(data.readUInt8(data.length - 1) ^ 1, data.length - 1);
  await expect(codec.decode([{ ...encrypted, data }])).rejects.toThrow();
  await expect(oldCodec.decode([encrypted ?? plain])).rejects.toThrow('"k2", which TEMPORAL_PAYLOAD_KEYS lacks');
});

describe('the codec server', () => {
  const server = buildCodecServer({ codec, origin: 'https://ui.example.com', token: 'a-token-of-the-server' });
  const decode = (payload: unknown, token = 'a-token-of-the-server') =>
    server.inject({
      method: 'POST',
      url: '/decode',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    });
  const encryptedJson = async () => {
    const [{ metadata = {}, data } = {}] = await codec.encode([plain]);
    const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
    return {
      metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)])),
      data: base64(data),
    };
  };

  test('TE4: it decodes for pages of one origin, for callers with its token', async () => {
    const response = await decode({ payloads: [await encryptedJson()] });
    expect(response.headers['access-control-allow-origin']).toBe('https://ui.example.com');
    const [payload] = response.json().payloads;
    expect(JSON.parse(Buffer.from(payload.data, 'base64').toString())).toEqual({ to: 'MAYA', amount: '48.60 USD' });
    expect((await decode({ payloads: [] }, 'another')).statusCode).toBe(401);
    expect((await decode({ payloads: [] }, 'é-token-of-the-serve')).statusCode).toBe(401);
    expect((await server.inject({ method: 'OPTIONS', url: '/decode' })).statusCode).toBe(204);
  });

  test('TE4: what it cannot read is 400 without a reason, and a large body is 413', async () => {
    const encrypted = await encryptedJson();
    for (const body of [
      null,
      [],
      { payloads: 'x' },
      { payloads: [{ metadata: { encoding: '%' } }] },
      { payloads: [{ ...encrypted, data: '' }] },
      { payloads: [{ ...encrypted, metadata: { ...encrypted.metadata, 'encryption-key-id': '' } }] },
      { payloads: Array(1_001).fill(encrypted) },
    ])
      expect(await decode(body)).toMatchObject({ statusCode: 400, body: '{"error":"The payloads cannot be read"}' });
    expect((await decode({ payloads: [{ data: 'A'.repeat(5 * 1024 * 1024) }] })).statusCode).toBe(413);
    expect((await server.inject({ method: 'GET', url: '/decode' })).statusCode).toBe(401);
  });
});
