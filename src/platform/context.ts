import type { EntityManager } from '@mikro-orm/postgresql';
import type { DomainEvent, Environment } from '../contracts/events.ts';
import type { InternalEvent } from '../contracts/internal-events.ts';
import type { Clock, TimeScale } from './clock.ts';
import type { FieldCipher } from './crypto/field-cipher.ts';
import { flushPending } from './database/sql.ts';
import type { Ids } from './ids.ts';
import type { Logger } from './logger.ts';
import type { OutboundPolicy } from './outbound/policy.ts';

/** The workflow run that executes the current step. */
export interface WorkflowRef {
  workflowId: string;
  runId: string;
}

/** Who acts: `key` is an API caller, `system` a workflow or the admin CLI, `anonymous` a request without a key. */
export type Actor =
  | { kind: 'key'; keyId: string; keyType: 'merchant' | 'affiliate' | 'onboarding'; ownerId: string; scopes: readonly string[] }
  | { kind: 'system'; name: string; run?: WorkflowRef | undefined }
  | { kind: 'anonymous' };

/** Where a request came from, for the audit log. */
export interface Origin {
  /** IP address; of IPv6, the network. */
  address: string;
  requestId: string;
}

/** Runs inside the transaction that emits the events: of one type and one merchant, each about another subject. */
export type EventListener = (ctx: Context, events: readonly DomainEvent[]) => Promise<void>;

/** Runs inside the transaction that emits the event. */
export type InternalEventListener = (ctx: Context, event: InternalEvent) => Promise<void>;

/** Runs inside the transaction that holds a commission of the affiliate. The balance is locked. */
export type HoldListener = (ctx: Context, affiliateId: string) => Promise<void>;

/** Settings of this installation. Domains extend the interface by the settings that only they read. */
export interface Settings {
  environment: Environment;
  /** Where others reach this installation, without a final slash. */
  publicUrl: string;
  /** Which addresses webhooks may be sent to. */
  outbound: OutboundPolicy;
  /** Durations of hold periods, reviews, reminders and retries. Real time, except in simulations. */
  scaled: TimeScale;
}

/** A message to the other processes, sent after the commit. Losing one delays its effect by a few seconds at most. */
export interface Broadcast {
  channel: 'key-changed' | 'secret-changed';
  text: string;
}

/** The dependencies of a use case. Nothing in it has an effect outside Postgres before the commit. */
export interface Context {
  em: EntityManager;
  actor: Actor;
  /** Null outside requests, and for those of persons: it would be personal data. */
  origin: Origin | null;
  clock: Clock;
  ids: Ids;
  log: Logger;
  cipher: FieldCipher;
  settings: Settings;
  listeners: readonly EventListener[];
  internalListeners: readonly InternalEventListener[];
  /** A hold has no event of its own, but payouts must know of it. */
  onHold: HoldListener;
  broadcasts: Broadcast[];
  publish(broadcast: Broadcast): Promise<void>;
}

/**
 * Runs in the caller's transaction when there is one, else in its own. Pending entities are flushed at its end;
 * broadcasts are sent once it is committed.
 */
export const inTransaction = async <T>(ctx: Context, work: (ctx: Context) => Promise<T>): Promise<T> => {
  if (ctx.em.isInTransaction()) return work(ctx);
  const done = await ctx.em.transactional((em) => work({ ...ctx, em: em as EntityManager }));
  for (const broadcast of ctx.broadcasts.splice(0)) {
    await ctx.publish(broadcast).catch((err) => ctx.log.warn({ err }, 'broadcast failed'));
  }
  return done;
};

/** Runs the listeners inside the caller's transaction: no event is recorded for a rolled-back change. */
export const emit = (ctx: Context, event: DomainEvent): Promise<void> => emitEach(ctx, [event]);

/** As `emit`, for any number of events of one type and one merchant, each about another subject. */
export const emitEach = async (ctx: Context, events: readonly DomainEvent[]): Promise<void> => {
  if (events.length === 0) return;
  for (const listen of ctx.listeners) await listen(ctx, events);
};

export const onEach =
  (listen: (ctx: Context, event: DomainEvent) => Promise<void>): EventListener =>
  async (ctx, events) => {
    for (const event of events) await listen(ctx, event);
  };

/** As `emit`, for events that are not published: no webhook is sent. Listeners read what happened, so it is written first. */
export const emitInternal = async (ctx: Context, event: InternalEvent): Promise<void> => {
  await flushPending(ctx.em);
  for (const listen of ctx.internalListeners) await listen(ctx, event);
};

/** The API key of the request. Routes guarantee that there is one. */
export const callerOf = (ctx: Context): Extract<Actor, { kind: 'key' }> => {
  if (ctx.actor.kind !== 'key') throw new Error('The actor is not an API key');
  return ctx.actor;
};

/** The merchant who owns a merchant or onboarding key. Routes guarantee the key type. */
export const merchantOf = (ctx: Context): string => {
  if (ctx.actor.kind !== 'key' || ctx.actor.keyType === 'affiliate') throw new Error('The actor is not a merchant');
  return ctx.actor.ownerId;
};

/** The profile of the person who owns an affiliate key. Routes guarantee the key type. */
export const profileOf = (ctx: Context): string => {
  if (ctx.actor.kind !== 'key' || ctx.actor.keyType !== 'affiliate') throw new Error('The actor is not an affiliate');
  return ctx.actor.ownerId;
};

/** For audit trails: the key's id or the system actor's name. */
export const actorName = (actor: Actor): string => {
  if (actor.kind === 'key') return `key:${actor.keyId}`;
  return actor.kind === 'system' ? `system:${actor.name}` : 'system:anonymous';
};
