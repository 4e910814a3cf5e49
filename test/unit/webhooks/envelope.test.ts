import { EVENT_TYPES } from '../../../src/contracts/events.ts';
import { affiliateSchema } from '../../../src/domains/affiliates/affiliates.wire.ts';
import { conversionSchema } from '../../../src/domains/conversions/conversions.wire.ts';
import { payoutSchema } from '../../../src/domains/payouts/payouts.wire.ts';
import { programSchema } from '../../../src/domains/programs/programs.wire.ts';
import { bodyOf, MAX_BODY_BYTES } from '../../../src/domains/webhooks/envelope.ts';
import { EVENT_EXAMPLES } from '../../../src/domains/webhooks/event-examples.ts';

const facts = { id: 'e1', createdAt: new Date('2026-01-15T09:30:00.123Z'), environment: 'development', test: false } as const;
const bytesOf = (data: Record<string, unknown>, more: object = {}) =>
  bodyOf({ type: 'payout.completed', merchantId: 'm1', programId: 'p1', data }, { ...facts, ...more });

describe('the envelope of an event', () => {
  test('has the published fields in their order', () => {
    expect(bytesOf({ id: 'x' }).toString()).toBe(
      '{"id":"e1","type":"payout.completed","schemaVersion":2,"createdAt":"2026-01-15T09:30:00.123Z","merchantId":"m1",' +
        '"programId":"p1","environment":"development","data":{"id":"x"}}',
    );
  });

  test('leaves the program out for an event of the merchant, and says when it is a test', () => {
    const body = bodyOf({ type: 'program.created', merchantId: 'm1', programId: null, data: {} }, { ...facts, test: true });
    expect(JSON.parse(body.toString())).not.toHaveProperty('programId');
    expect(JSON.parse(body.toString())).toHaveProperty('test', true);
    expect(JSON.parse(bytesOf({}).toString())).not.toHaveProperty('test');
  });

  test.each([
    ['a number that JSON cannot say', { a: [Number.NaN] }],
    ['a bigint', { a: 1n }],
    ['text that is not Unicode', { a: '\ud800' }],
    ['a name that is not Unicode', { '\ud800': 1 }],
    ['nesting without end', Array.from({ length: 40 }).reduce<object>((inner) => ({ inner }), {})],
    ['more than 256 KiB', { a: 'x'.repeat(MAX_BODY_BYTES) }],
  ])('%s is refused when the event is written', (_what, data) => {
    expect(() => bytesOf(data as Record<string, unknown>)).toThrow('an event');
  });

  test('256 KiB in all are accepted', () => {
    const room = MAX_BODY_BYTES - bytesOf({ a: '' }).length;
    expect(bytesOf({ a: 'x'.repeat(room) })).toHaveLength(MAX_BODY_BYTES);
    expect(() => bytesOf({ a: 'x'.repeat(room + 1) })).toThrow('256 KiB');
  });

  test('each type has an example that can be sent', () => {
    for (const type of EVENT_TYPES) expect(bytesOf(EVENT_EXAMPLES[type]).length).toBeLessThan(20_000);
  });
  test.each([
    ['program', programSchema],
    ['affiliate', affiliateSchema],
    ['conversion', conversionSchema],
    ['payout', payoutSchema],
  ])('the examples of %s events have the shape that REST returns', (resource, schema) => {
    const types = EVENT_TYPES.filter((type) => type.startsWith(`${resource}.`));
    expect(types).not.toHaveLength(0);
    for (const type of types) expect(schema.safeParse(EVENT_EXAMPLES[type])).toMatchObject({ success: true });
  });
});
