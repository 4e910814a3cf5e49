import { type DomainEvent, type Environment, SCHEMA_VERSION } from '../../contracts/events.ts';
import { invariant } from '../../platform/errors.ts';

export const MAX_BODY_BYTES = 262_144;
const MAX_DEPTH = 32;

/** JSON would silently turn these into null or escapes; a receiver would then read something else than we meant. */
const assertSendable = (value: unknown, depth = 0): void => {
  invariant(depth <= MAX_DEPTH, 'an event is nested too deeply');
  if (typeof value === 'number') return invariant(Number.isFinite(value), 'an event holds a number that JSON cannot say');
  if (typeof value === 'string') return invariant(value.isWellFormed(), 'an event holds text that is not Unicode');
  invariant(typeof value !== 'bigint', 'an event holds a bigint');
  if (value === null || typeof value !== 'object') return;
  for (const [name, held] of Object.entries(value)) {
    assertSendable(name, depth);
    assertSendable(held, depth + 1);
  }
};

/**
 * The bytes that every receiver gets, now and on each later attempt. Throws for what cannot be sent: the transaction
 * that announces such an event rolls back.
 */
export const bodyOf = (
  event: DomainEvent,
  facts: { id: string; createdAt: Date; environment: Environment; test: boolean },
): Buffer => {
  assertSendable(event.data);
  const body = Buffer.from(
    JSON.stringify({
      id: facts.id,
      type: event.type,
      schemaVersion: SCHEMA_VERSION,
      createdAt: facts.createdAt.toISOString(),
      merchantId: event.merchantId,
      ...(event.programId === null ? {} : { programId: event.programId }),
      environment: facts.environment,
      ...(facts.test ? { test: true } : {}),
      data: event.data,
    }),
  );
  invariant(body.length <= MAX_BODY_BYTES, 'an event is larger than 256 KiB');
  return body;
};
