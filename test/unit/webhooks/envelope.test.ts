import { z } from 'zod';
import { WEBHOOK_EVENTS } from '../../../src/api/webhook-events.ts';
import { EVENT_TYPES } from '../../../src/contracts/events.ts';
import {
  bodyPartsOf,
  MAX_BODY_BYTES,
  subjectOf,
  type WebhookEvent,
} from '../../../src/domains/webhooks/events/envelope.rules.ts';
import { envelopeExample } from '../../../src/domains/webhooks/webhooks.examples.ts';
import { envelopeSchema } from '../../../src/domains/webhooks/webhooks.wire.ts';

const envelope = { id: 'e1', createdAt: new Date('2026-01-15T09:30:00.123Z'), environment: 'development', test: false } as const;
const bodyOf = (event: WebhookEvent, about: Parameters<typeof bodyPartsOf>[1]): Buffer => {
  const { head, tail } = bodyPartsOf(event, about);
  return Buffer.from(`${head}7${tail}`);
};
const bytesOf = (data: object, more: object = {}) =>
  bodyOf({ type: 'payout.completed', merchantId: 'm1', programId: 'p1', data: { id: 's1', ...data } }, { ...envelope, ...more });

describe('the envelope of an event', () => {
  test('an envelope has the published fields in their order', () => {
    expect(bytesOf({}).toString()).toBe(
      '{"id":"e1","type":"payout.completed","schemaVersion":2,"createdAt":"2026-01-15T09:30:00.123Z","merchantId":"m1",' +
        '"programId":"p1","environment":"development","subjectId":"s1","sequence":7,"data":{"id":"s1"}}',
    );
  });

  test('omits the program for an event of the merchant, and marks a test event', () => {
    const body = bodyOf(
      { type: 'program.created', merchantId: 'm1', programId: null, data: { id: 's1' } },
      { ...envelope, test: true },
    );
    expect(JSON.parse(body.toString())).not.toHaveProperty('programId');
    expect(JSON.parse(body.toString())).toHaveProperty('test', true);
    expect(JSON.parse(bytesOf({}).toString())).not.toHaveProperty('test');
  });

  test.each([
    ['a number that JSON cannot represent', { a: [Number.NaN] }],
    ['a bigint', { a: 1n }],
    ['malformed Unicode in a value', { a: '\ud800' }],
    ['malformed Unicode in a name', { '\ud800': 1 }],
    ['too many levels', Array.from({ length: 40 }).reduce<object>((inner) => ({ inner }), {})],
    ['more than 256 KiB', { a: 'x'.repeat(MAX_BODY_BYTES) }],
  ])('rejects %s when the event is recorded', (_what, data) => {
    expect(() => bytesOf(data)).toThrow('an event');
  });

  test('accepts a body of 256 KiB', () => {
    // Less the nine digits that the sequence may still grow by.
    const rest = MAX_BODY_BYTES - bytesOf({ a: '' }).length - 9;
    expect(bytesOf({ a: 'x'.repeat(rest) })).toHaveLength(MAX_BODY_BYTES - 9);
    expect(() => bytesOf({ a: 'x'.repeat(rest + 1) })).toThrow('256 KiB');
  });

  test.each(EVENT_TYPES)('%s has an example that matches its schema and can be sent', (type) => {
    const { schema, example } = WEBHOOK_EVENTS[type];
    expect(bytesOf({ ...(example as object) }).length).toBeLessThan(20_000);
    const strict = (schema as z.ZodObject).strict();
    expect(envelopeSchema(type, strict).safeParse(envelopeExample(type, example))).toMatchObject({ success: true });
  });

  test('the documented fields are those that are sent', () => {
    const sent = JSON.parse(bytesOf({}, { test: true }).toString());
    expect(sent).toMatchObject({ sequence: 7, test: true });
    expect(Object.keys(sent)).toEqual(Object.keys(envelopeSchema('payout.completed', z.unknown()).shape));
  });

  test('an event is about the resource that its type names, and an application about its affiliate', () => {
    expect(subjectOf({ type: 'conversion.refunded', data: { id: 'c1', affiliateId: 'a1' } })).toBe('c1');
    expect(subjectOf({ type: 'affiliate.blocked', data: { id: 'a1' } })).toBe('a1');
    expect(subjectOf({ type: 'affiliate.joined', data: { id: 'application', affiliateId: 'a1' } })).toBe('a1');
    expect(() => subjectOf({ type: 'payout.created', data: {} })).toThrow('names its subject');
  });
});
