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

/** For which account somebody acts, and what they may do there. */
interface Acting {
  keyType: 'merchant' | 'affiliate' | 'onboarding';
  /** The merchant, or the profile of the affiliate. */
  ownerId: string;
  scopes: readonly string[];
}

/** When the session proved who the person is. */
export interface Proof {
  passkeyAt: Date | null;
  /** By a new mailed code. */
  codeAt: Date | null;
  hasPasskey: boolean;
}

/** A person who is signed in, with the rights of a key of this type. */
export interface PersonActor extends Acting {
  kind: 'person';
  personId: string;
  sessionId: string;
  keyType: 'merchant' | 'affiliate';
  /** What lets the person act: the role at the merchant, or the profile. */
  grantId: string;
  proof: Proof;
  /** Signed in under the domain of a program: what is shown is of its merchant, who decides where the domain leads. */
  onlyMerchantId?: string;
}

/** A page inside an app of a merchant that shows an affiliate what is theirs: it reads, and of this merchant only. */
export interface EmbedActor extends Acting {
  kind: 'embed';
  keyType: 'affiliate';
  merchantId: string;
  /** The membership that its token names. */
  affiliateId: string;
  /** What the token was made with: a key, or the role of a person. */
  grantId: string;
}

/** A program whose pages are shown under its own domain. */
export interface ProgramSite {
  programId: string;
  merchantId: string;
  origin: string;
  /** When the program proved to own the domain: what began before may be known to whoever had it then, or to another domain. */
  since: Date;
}

/** Who acts for an account. */
export type Caller = (Acting & { kind: 'key'; keyId: string }) | PersonActor | EmbedActor;

/**
 * Who acts: `key` is an API caller, `person` somebody who is signed in, `embed` a page inside another app, `system` a workflow or the
 * admin CLI, `anonymous` a request of nobody; with `site`, on a page under the domain of a program.
 */
export type Actor =
  | Caller
  | { kind: 'system'; name: string; run?: WorkflowRef | undefined }
  | { kind: 'anonymous'; site?: ProgramSite | undefined };

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

/** The dependencies of a use case. Nothing in it has an effect outside Postgres before the commit. Domains add who listens to them. */
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

/**
 * Runs the listeners inside the caller's transaction: no event is recorded for a rolled-back change. Several events are of one type and one
 * merchant, each about another subject.
 */
export const emit = async (ctx: Context, given: DomainEvent | readonly DomainEvent[]): Promise<void> => {
  const events = [given].flat();
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

/** The API key, person or embedded page that acts; null for the system and for nobody. */
export const findCaller = (actor: Actor): Caller | null =>
  actor.kind === 'key' || actor.kind === 'person' || actor.kind === 'embed' ? actor : null;

/** The API key, person or embedded page of the request. Routes guarantee that there is one. */
export const callerOf = ({ actor }: Pick<Context, 'actor'>): Caller => {
  const caller = findCaller(actor);
  if (!caller) throw new Error('The actor acts for no account');
  return caller;
};

/** The id of a key or a person, for columns that say who decided. An embedded page decides nothing. */
export const callerIdOf = (caller: Caller): string => {
  if (caller.kind === 'key') return caller.keyId;
  return caller.kind === 'person' ? caller.personId : caller.affiliateId;
};

/** The id of what lets the caller act: what is signed for it ends with it. */
export const grantIdOf = (caller: Caller): string => (caller.kind === 'key' ? caller.keyId : caller.grantId);

/** Whose idempotency records and cursors a caller has: a person has others for each account. */
export const identityOf = (caller: Caller): string =>
  caller.kind === 'key' ? caller.keyId : `${caller.kind}:${callerIdOf(caller)}:${caller.ownerId}`;

/** The merchant for whom the caller acts. Routes guarantee the key type. */
export const merchantOf = (ctx: Context): string => {
  const { keyType, ownerId } = callerOf(ctx);
  if (keyType === 'affiliate') throw new Error('The actor is not a merchant');
  return ownerId;
};

/** The profile for which the caller acts. Routes guarantee the key type. */
export const profileOf = (ctx: Context): string => {
  const { keyType, ownerId } = callerOf(ctx);
  if (keyType !== 'affiliate') throw new Error('The actor is not an affiliate');
  return ownerId;
};

/** The only merchant whose programs the caller is shown; undefined: all that the profile has joined. */
export const onlyMerchantOf = ({ actor }: Pick<Context, 'actor'>): string | undefined =>
  actor.kind === 'embed' ? actor.merchantId : actor.kind === 'person' ? actor.onlyMerchantId : undefined;

/** The program under whose domain somebody asks who is not signed in; null under the name of this server. */
export const siteOf = ({ actor }: Pick<Context, 'actor'>): ProgramSite | null =>
  (actor.kind === 'anonymous' ? actor.site : null) ?? null;

/** For audit trails: the id of the key or the person, or the system actor's name. */
export const actorName = (actor: Actor): string => {
  if (actor.kind === 'key') return `key:${actor.keyId}`;
  if (actor.kind === 'person') return `person:${actor.personId}`;
  if (actor.kind === 'embed') return `embed:${actor.affiliateId}`;
  return actor.kind === 'system' ? `system:${actor.name}` : 'system:anonymous';
};
