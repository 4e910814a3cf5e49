import { defineEntity, type Opt, p } from '@mikro-orm/core';
import {
  EVERY_EXTENDED,
  type EventType,
  EXTENDED_EVENT_TYPES,
  type ExtendedSubscription,
  type PublishedEventType,
  SCHEMA_VERSION,
} from '../../contracts/events.ts';
import { MAX_IN_FLIGHT_PER_ENDPOINT, ROTATION_OVERLAP_HOURS } from '../../contracts/limits.ts';
import { type DisabledReason, ENDPOINT_STATUSES } from '../../contracts/webhooks.ts';

export const WebhookEndpointSchema = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  properties: {
    id: p.uuid().primary(),
    merchantId: p.uuid(),
    /** Null for events from all programs and from the merchant itself. */
    programId: p.uuid().nullable(),
    name: p.text(),
    url: p.text(),
    status: p.enum(ENDPOINT_STATUSES).onCreate(() => 'active'),
    schemaVersion: p
      .integer()
      .$type<2>()
      .onCreate(() => SCHEMA_VERSION),
    subscribedEvents: p.array().$type<PublishedEventType[]>(),
    /** Extended types that it also gets. */
    extendedEvents: p.array().$type<ExtendedSubscription[]>().default([]),
    secretLastFour: p.text().nullable(),
    disabledReason: p.text().$type<DisabledReason>().nullable(),
    /** Part of the workflow ids of deliveries that are resumed when the endpoint is enabled. */
    enableCount: p.integer().default(0),
    /** Its lane sends the first attempts. */
    slot: p.smallint().$type<Opt<number>>().generated('(get_byte(uuid_send(id), 15) & 63) stored'),
    /** Its parked deliveries are to be made pending again, or cancelled if it is deleted. */
    unparking: p.boolean().default(false),
    /** While the circuit breaker is open: no attempt before this time, and one at a time after it. */
    breakerUntil: p.datetime(3).nullable(),
    breakerFailures: p.integer().default(0),
    /** No attempt is known to have succeeded since. */
    failingSince: p.datetime(3).nullable(),
    /** Warnings that the merchant got since then, or since `failingResetAt`. */
    failingWarnings: p.smallint().default(0),
    /** Headers of the merchant, see `request-headers.steps.ts`. */
    headerCiphertext: p.text().nullable(),
    /** First attempts at a time. */
    maxInFlight: p.smallint().default(MAX_IN_FLIGHT_PER_ENDPOINT),
    /** First attempts per second; null for no limit. */
    ratePerSecond: p.smallint().nullable(),
    /** How long a replaced secret also signs. */
    rotationOverlapHours: p.smallint().default(ROTATION_OVERLAP_HOURS),
    /** When the URL was changed or the endpoint enabled: warnings and disabling count from then at the earliest. */
    failingResetAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    disabledAt: p.datetime(3).nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});

export interface EndpointChanges {
  name?: string | undefined;
  url?: string | undefined;
  programId?: string | null | undefined;
  subscribedEvents?: readonly PublishedEventType[] | undefined;
}

export interface EndpointSettingChanges {
  headerCiphertext?: string | null | undefined;
  maxInFlight?: number | undefined;
  ratePerSecond?: number | null | undefined;
  rotationOverlapHours?: number | undefined;
  extendedEvents?: readonly ExtendedSubscription[] | undefined;
}

export class WebhookEndpoint extends WebhookEndpointSchema.class {
  change(changes: EndpointChanges, at: Date): void {
    if (changes.name !== undefined) this.name = changes.name;
    if (changes.url !== undefined && changes.url !== this.url) {
      this.url = changes.url;
      // It says nothing about the new receiver.
      this.closeBreaker();
      this.resetFailing(at);
    }
    if (changes.programId !== undefined) this.programId = changes.programId;
    if (changes.subscribedEvents !== undefined) this.subscribedEvents = [...new Set(changes.subscribedEvents)];
    this.updatedAt = at;
  }

  changeSettings(changes: EndpointSettingChanges, at: Date): void {
    if (changes.headerCiphertext !== undefined) this.headerCiphertext = changes.headerCiphertext;
    if (changes.maxInFlight !== undefined) this.maxInFlight = changes.maxInFlight;
    if (changes.ratePerSecond !== undefined) this.ratePerSecond = changes.ratePerSecond;
    if (changes.rotationOverlapHours !== undefined) this.rotationOverlapHours = changes.rotationOverlapHours;
    if (changes.extendedEvents !== undefined) this.extendedEvents = [...new Set(changes.extendedEvents)];
    this.updatedAt = at;
  }

  /** The types of events that it gets. */
  eventTypes(): EventType[] {
    const isEvery = this.extendedEvents.includes(EVERY_EXTENDED);
    const extended = EXTENDED_EVENT_TYPES.filter((type) => isEvery || this.extendedEvents.includes(type));
    return [...this.subscribedEvents, ...extended];
  }

  isActive(): boolean {
    return this.status === 'active' && !this.deletedAt;
  }

  /** Returns false if it is already active. */
  enable(at: Date): boolean {
    if (this.status === 'active') return false;
    this.status = 'active';
    this.disabledAt = null;
    this.disabledReason = null;
    this.enableCount += 1;
    this.unparking = true;
    this.closeBreaker();
    this.failingSince = null;
    this.resetFailing(at);
    this.updatedAt = at;
    return true;
  }

  /** A second call keeps the first time and reason, and returns false. */
  disable(reason: DisabledReason, at: Date): boolean {
    if (this.status === 'disabled') return false;
    this.status = 'disabled';
    this.disabledAt = at;
    this.disabledReason = reason;
    this.unparking = false;
    this.updatedAt = at;
    return true;
  }

  /** A success ends the period without one; while the breaker is open, the next one begins with it. Returns whether there were warnings. */
  recover(at: Date): boolean {
    const wasWarned = this.failingWarnings > 0;
    this.failingSince = this.breakerFailures === 0 ? null : at;
    this.failingWarnings = 0;
    return wasWarned;
  }

  /** Closed: null and 0. */
  setBreaker(until: Date | null, failures: number): void {
    this.breakerUntil = until;
    this.breakerFailures = failures;
  }

  failSince(at: Date): void {
    this.failingSince = at;
  }

  /** How many warnings the merchant got. */
  warn(warnings: number): void {
    this.failingWarnings = warnings;
  }

  private closeBreaker(): void {
    this.setBreaker(null, 0);
  }

  /** Another URL keeps `failingSince`: what failed before is still to be replayed. */
  private resetFailing(at: Date): void {
    this.failingResetAt = at;
    this.failingWarnings = 0;
  }

  /** Keeps only the last four characters, for display. */
  setSecret(text: string, at: Date): void {
    this.secretLastFour = text.slice(-4);
    this.updatedAt = at;
  }

  delete(at: Date): void {
    this.deletedAt = at;
    this.headerCiphertext = null;
    this.unparking = true;
    this.updatedAt = at;
  }
}

WebhookEndpointSchema.setClass(WebhookEndpoint);
