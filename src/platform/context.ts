import type { EntityManager } from '@mikro-orm/postgresql';
import type { DomainEvent, Environment } from '../contracts/events.ts';
import type { Clock } from './clock.ts';
import type { FieldCipher } from './crypto/field-cipher.ts';
import type { Ids } from './ids.ts';
import type { Logger } from './logger.ts';
import type { OutboundPolicy } from './outbound/policy.ts';

/** Where a step runs, when a workflow runs it. */
export interface WorkflowRef {
  workflowId: string;
  runId: string;
}

/** Who acts. `key` is an API caller, `system` a story or the operator's command line. */
export type Actor =
  | { kind: 'key'; keyId: string; keyType: 'merchant' | 'affiliate' | 'onboarding'; ownerId: string; scopes: readonly string[] }
  | { kind: 'system'; name: string; run?: WorkflowRef | undefined };

/** Runs inside the transaction that emits the event. */
export type EventListener = (ctx: Context, event: DomainEvent) => Promise<void>;

/** Settings of this installation. Domains extend the interface by the settings that only they read. */
export interface Settings {
  environment: Environment;
  /** Which addresses webhooks may lead to. */
  outbound: OutboundPolicy;
}

/** News for the other processes, told after the commit. Losing one is harmless: what it saves is at most seconds. */
export interface Broadcast {
  channel: 'key-changed';
  text: string;
}

/** Everything a use case may touch. Nothing in it reaches outside Postgres before the commit. */
export interface Context {
  em: EntityManager;
  actor: Actor;
  clock: Clock;
  ids: Ids;
  log: Logger;
  cipher: FieldCipher;
  settings: Settings;
  listeners: readonly EventListener[];
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
    await ctx.publish(broadcast).catch((err) => ctx.log.warn({ err }, 'a broadcast was not sent'));
  }
  return done;
};

/** Runs the listeners inside the caller's transaction: no event is recorded for a rolled-back change. */
export const emit = async (ctx: Context, event: DomainEvent): Promise<void> => {
  for (const listen of ctx.listeners) await listen(ctx, event);
};

/** The key behind a request. Routes guarantee that there is one. */
export const callerOf = (ctx: Context): Extract<Actor, { kind: 'key' }> => {
  if (ctx.actor.kind !== 'key') throw new Error('No key acts here');
  return ctx.actor;
};

/** The merchant behind a merchant or onboarding key. Routes guarantee the key type. */
export const merchantOf = (ctx: Context): string => {
  if (ctx.actor.kind !== 'key' || ctx.actor.keyType === 'affiliate') throw new Error('No merchant acts here');
  return ctx.actor.ownerId;
};

/** For audit trails: the key's id or the story's name. */
export const actorName = (actor: Actor): string => (actor.kind === 'key' ? `key:${actor.keyId}` : `system:${actor.name}`);
