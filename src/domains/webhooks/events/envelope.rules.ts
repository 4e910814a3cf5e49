import { type Environment, type EventType, SCHEMA_VERSION } from '../../../contracts/events.ts';
import { invariant } from '../../../platform/errors.ts';

export const MAX_BODY_BYTES = 262_144;
const MAX_DEPTH = 32;

/** The digits of the largest sequence that Postgres can count to. */
const MAX_SEQUENCE_DIGITS = 10;

/** A domain event, or a test event with an example as its data. */
export interface WebhookEvent {
  type: EventType;
  merchantId: string;
  programId: string | null;
  data: unknown;
}

/** The resource that an event is about. An application is about the affiliate that it may become. */
export const subjectOf = ({ type, data }: Pick<WebhookEvent, 'type' | 'data'>): string => {
  const field = type === 'affiliate.joined' ? 'affiliateId' : 'id';
  const id: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, field) : undefined;
  invariant(typeof id === 'string', 'an event names its subject');
  return id;
};

/** Throws for values that JSON would silently turn into null or escapes: receivers would read something else. */
const assertSerializable = (value: unknown, depth = 0): void => {
  invariant(depth <= MAX_DEPTH, 'an event is nested too deeply');
  if (typeof value === 'number')
    return invariant(Number.isFinite(value), 'an event contains a number that JSON cannot represent');
  if (typeof value === 'string') return invariant(value.isWellFormed(), 'an event contains malformed Unicode');
  invariant(typeof value !== 'bigint', 'an event contains a bigint');
  if (value === null || typeof value !== 'object') return;
  for (const [name, field] of Object.entries(value)) {
    assertSerializable(name, depth);
    assertSerializable(field, depth + 1);
  }
};

/** A body without its sequence, which Postgres puts between the two parts. */
export interface BodyParts {
  head: string;
  tail: string;
}

/**
 * The body that every receiver gets, in every attempt. Throws for an event that cannot be sent, which rolls back the
 * transaction that emits it.
 */
export const bodyPartsOf = (
  event: WebhookEvent,
  envelope: { id: string; createdAt: Date; environment: Environment; test: boolean },
): BodyParts => {
  assertSerializable(event.data);
  const before = JSON.stringify({
    id: envelope.id,
    type: event.type,
    schemaVersion: SCHEMA_VERSION,
    createdAt: envelope.createdAt.toISOString(),
    merchantId: event.merchantId,
    ...(event.programId === null ? {} : { programId: event.programId }),
    environment: envelope.environment,
    subjectId: subjectOf(event),
  });
  const after = JSON.stringify({ ...(envelope.test ? { test: true } : {}), data: event.data });
  const parts = { head: `${before.slice(0, -1)},"sequence":`, tail: `,${after.slice(1)}` };
  const bytes = Buffer.byteLength(parts.head) + MAX_SEQUENCE_DIGITS + Buffer.byteLength(parts.tail);
  invariant(bytes <= MAX_BODY_BYTES, 'an event is larger than 256 KiB');
  return parts;
};
