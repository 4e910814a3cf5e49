import { type Environment, type EventType, SCHEMA_VERSION } from '../../contracts/events.ts';
import { invariant } from '../../platform/errors.ts';

export const MAX_BODY_BYTES = 262_144;
const MAX_DEPTH = 32;

/** A domain event, or a test event with an example as its data. */
export interface WebhookEvent {
  type: EventType;
  merchantId: string;
  programId: string | null;
  data: unknown;
}

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

/**
 * The bytes that every receiver gets, in every attempt. Throws for an event that cannot be sent, which rolls back the
 * transaction that emits it.
 */
export const bodyOf = (
  event: WebhookEvent,
  envelope: { id: string; createdAt: Date; environment: Environment; test: boolean },
): Buffer => {
  assertSerializable(event.data);
  const body = Buffer.from(
    JSON.stringify({
      id: envelope.id,
      type: event.type,
      schemaVersion: SCHEMA_VERSION,
      createdAt: envelope.createdAt.toISOString(),
      merchantId: event.merchantId,
      ...(event.programId === null ? {} : { programId: event.programId }),
      environment: envelope.environment,
      ...(envelope.test ? { test: true } : {}),
      data: event.data,
    }),
  );
  invariant(body.length <= MAX_BODY_BYTES, 'an event is larger than 256 KiB');
  return body;
};
