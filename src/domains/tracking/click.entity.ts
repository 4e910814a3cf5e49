import { defineEntity, p } from '@mikro-orm/core';
import type { Landing } from './landing.rules.ts';

/** Partitioned by the month of its id. Addresses and visitors are keyed hashes. */
export const ClickSchema = defineEntity({
  name: 'Click',
  tableName: 'click',
  properties: {
    id: p.uuid().primary(),
    programId: p.uuid(),
    affiliateId: p.uuid(),
    /** Null for the affiliate's own code. */
    linkId: p.uuid().nullable(),
    code: p.text(),
    channel: p.enum(['page', 'redirect']),
    page: p.text().nullable(),
    referrer: p.text().nullable(),
    source: p.text(),
    campaign: p.json<Landing['campaign']>(),
    visitor: p.blob().$type<Buffer>(),
    address: p.blob().$type<Buffer>(),
    browser: p.blob().$type<Buffer>(),
    repeatKey: p.blob().$type<Buffer>(),
  },
});

/** Numbers of clicks outlive the clicks. Shards, so that clicks do not queue. */
export const ClickCountSchema = defineEntity({
  name: 'ClickCount',
  tableName: 'click_count',
  properties: {
    affiliateId: p.uuid().primary(),
    day: p.date().primary(),
    code: p.text().primary(),
    source: p.text().primary(),
    shard: p.smallint().primary(),
    clicks: p.bigint('number'),
  },
});

export const ClickTotalSchema = defineEntity({
  name: 'ClickTotal',
  tableName: 'click_total',
  properties: {
    affiliateId: p.uuid().primary(),
    code: p.text().primary(),
    shard: p.smallint().primary(),
    clicks: p.bigint('number'),
    /** Whether the totals of the affiliate contain it. */
    addedUp: p.boolean().default(false),
  },
});

/** What the fraud rules compare with their limits. */
export const ClickHourSchema = defineEntity({
  name: 'ClickHour',
  tableName: 'click_hour',
  properties: {
    affiliateId: p.uuid().primary(),
    hour: p.datetime(3).primary(),
    shard: p.smallint().primary(),
    clicks: p.integer(),
  },
});

/** Clicks of one address. */
export const ClickMinuteSchema = defineEntity({
  name: 'ClickMinute',
  tableName: 'click_minute',
  properties: {
    affiliateId: p.uuid().primary(),
    minute: p.datetime(3).primary(),
    address: p.blob().$type<Buffer>().primary(),
    clicks: p.integer(),
    /** Whom a server reported from this address: one more than the limit at most. */
    visitors: p.array().columnType('text[]').defaultRaw("'{}'::text[]"),
  },
});

/** A minute in which the clicks of an affiliate were above a limit, for the screening. */
export const ClickAlertSchema = defineEntity({
  name: 'ClickAlert',
  tableName: 'click_alert',
  properties: {
    affiliateId: p.uuid().primary(),
    minute: p.datetime(3).primary(),
    clicksPerMinute: p.integer(),
    clicksPerHour: p.integer(),
    handledAt: p.datetime(3).nullable(),
  },
});

/** When and where a browser last ran the script of a program. */
export const ScriptLoadSchema = defineEntity({
  name: 'ScriptLoad',
  tableName: 'script_load',
  properties: {
    programId: p.uuid().primary(),
    seenAt: p.datetime(3),
    page: p.text(),
  },
});
