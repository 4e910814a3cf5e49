import { defineEntity, p } from '@mikro-orm/core';
import { CONVERSION_STATUSES } from '../../contracts/conversions.ts';

/** Screened conversions. Written by the screening only, so that sales do not wait for each other. */
export const ConversionHourSchema = defineEntity({
  name: 'ConversionHour',
  tableName: 'conversion_hour',
  properties: {
    affiliateId: p.uuid().primary(),
    hour: p.datetime(3).primary(),
    conversions: p.integer(),
    /** Conversions whose sale came with a click. */
    fromClicks: p.integer(),
  },
});

/** Conversions by the time of their sale, added up. What is not added up yet is in `conversion_change`. */
export const ConversionSumSchema = defineEntity({
  name: 'ConversionSum',
  tableName: 'conversion_sum',
  properties: {
    merchantId: p.uuid().primary(),
    /** All zeros: the sum of all programs. */
    programId: p.uuid().primary(),
    /** A day, a quarter of an hour, or all time. In UTC. */
    span: p.enum(['all', 'day', 'quarter']).primary(),
    startsAt: p.datetime(3).primary(),
    currency: p.text().primary(),
    status: p.enum(CONVERSION_STATUSES).primary(),
    conversions: p.bigint('number'),
    /** Less refunds, in minor units. */
    revenue: p.decimal('number').columnType('numeric'),
    commission: p.decimal('number').columnType('numeric'),
    /** The part of the commission that is not approved. */
    unapproved: p.decimal('number').columnType('numeric'),
  },
});

/** How much conversions changed. Each change is a row of its own, so that no sale waits for another. */
export const ConversionChangeSchema = defineEntity({
  name: 'ConversionChange',
  tableName: 'conversion_change',
  properties: {
    merchantId: p.uuid().primary(),
    programId: p.uuid().primary(),
    seq: p.bigint('number').primary().autoincrement().generated('identity'),
    /** When the conversion was created. */
    createdAt: p.datetime(3),
    currency: p.text(),
    status: p.enum(CONVERSION_STATUSES),
    conversions: p.smallint(),
    revenue: p.decimal('number').columnType('numeric'),
    commission: p.decimal('number').columnType('numeric'),
    unapproved: p.decimal('number').columnType('numeric'),
  },
});

/** Affiliates whose held-back commissions the next approval looks at again: more became due at once than the request approved. */
export const HeldBackAffiliateSchema = defineEntity({
  name: 'HeldBackAffiliate',
  tableName: 'held_back_affiliate',
  properties: {
    affiliateId: p.uuid().primary(),
    isDue: p.boolean(),
  },
});
