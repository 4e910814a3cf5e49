import { defineEntity, p } from '@mikro-orm/core';

/** What the marketplace sorts and filters by. One row for each program, made and kept by a trigger. */
export const MarketplaceListingSchema = defineEntity({
  name: 'MarketplaceListing',
  tableName: 'marketplace_listing',
  properties: {
    programId: p.uuid().primary(),
    /** Active and public. */
    isPublic: p.boolean(),
    /** The form that searches compare. */
    category: p.text().nullable(),
    /** In hundredths of a percent. */
    commission: p.bigint('number'),
    createdAt: p.datetime(3),
    /** Refreshed by the relay role, as are the figures. */
    isReady: p.boolean().default(false),
    /** Commission per click in the last 30 days, in ten-thousandths of the currency's unit. */
    epc: p.bigint('number').default(0),
    /** Sales per click in hundredths of a percent. */
    conversionRate: p.bigint('number').default(0),
  },
});

/** When the figures of a program are computed next. Apart from them: it changes far more often. */
export const MarketplaceRefreshSchema = defineEntity({
  name: 'MarketplaceRefresh',
  tableName: 'marketplace_refresh',
  properties: {
    programId: p.uuid().primary(),
    isPublic: p.boolean(),
    dueAt: p.datetime(3),
  },
});

/** Sales and commissions by the day, of the last 30 days. A slot is a day modulo 30. */
export const MarketplaceDaySchema = defineEntity({
  name: 'MarketplaceDay',
  tableName: 'marketplace_day',
  properties: {
    programId: p.uuid().primary(),
    slot: p.smallint().primary(),
    day: p.date(),
    /** Sales that came by a click and were not fully refunded. */
    sales: p.bigint('number'),
    /** Less refunds, in minor units. */
    commission: p.decimal('number').columnType('numeric'),
    computedAt: p.datetime(3),
  },
});
