import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import { after, HOUR_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { expressionBuilder, type InferResult, rows } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { db, type Tables } from '../tables.ts';
import { decryptPayoutInfo } from './payout-details.steps.ts';
import { payoutDetailsFor } from './payout-info.rules.ts';

interface DestinationTables {
  a: Tables['affiliate'];
  f: Tables['affiliate_profile'];
  m: Tables['merchant'];
}

const eb = expressionBuilder<DestinationTables, keyof DestinationTables>();
const isShown = eb.not(eb.ref('a.profileHidden'));
const hasOwn = eb.and([isShown, eb('f.payoutMethod', 'is not', null)]);

/** The method of an affiliate `a` with its profile `f`. */
export const chosenMethod = eb.case().when(hasOwn).then(eb.ref('f.payoutMethod')).else(eb.ref('a.payoutMethod')).end();

/**
 * Where an affiliate is paid, as stored: of an affiliate `a`, its profile `f` and its merchant `m`. One statement reads all of it: the
 * details may change meanwhile.
 */
export const payoutDestination = [
  eb.ref('a.id').as('affiliateId'),
  eb.ref('f.id').as('profileId'),
  chosenMethod.as('payoutMethod'),
  /** The owner's; null while the profile is hidden or has no method. */
  eb.case().when(hasOwn).then(eb.ref('f.payoutDetails')).end().as('ownDetails'),
  /** As the merchant entered them. */
  eb.ref('a.payoutDetails').as('enteredDetails'),
  eb
    .fn<string | null>('greatest', [
      eb.case().when(isShown).then(eb.ref('f.payoutDetailsChangedAt')).end(),
      'a.payoutDetailsChangedAt',
    ])
    .as('detailsChangedAt'),
  /** Who entered the details that are used, where the merchant did. */
  eb.case().when(eb.not(hasOwn)).then(eb.ref('a.accountEnteredBy')).end().as('accountEnteredBy'),
  eb.case().when(eb.not(hasOwn)).then(eb.ref('a.accountEnteredAt')).end().as('accountEnteredAt'),
  /** When the details that are used were last said to be right. */
  eb
    .case()
    .when(hasOwn)
    .then(eb.ref('f.payoutDetailsConfirmedAt'))
    .else(eb.ref('a.payoutDetailsConfirmedAt'))
    .end()
    .as('detailsConfirmedAt'),
  /** Until when nobody pays to details that the owner changed. */
  eb.case().when(isShown).then(eb.ref('f.payoutCooldownUntil')).end().as('ownCooldownUntil'),
  /** For how long the merchant waits after a change. */
  eb.ref('m.detailsCooldownHours').as('cooldownHours'),
] as const;

const destinations = compileOnce(({ affiliateIds }: Given<{ affiliateIds: readonly string[] }>) =>
  db
    .selectFrom('affiliate as a')
    .innerJoin('affiliate_profile as f', 'f.id', 'a.profileId')
    .innerJoin('merchant as m', 'm.id', 'a.merchantId')
    .select(payoutDestination)
    .where('a.id', '=', anyOf(affiliateIds)),
);

export type StoredPayoutDestination = InferResult<ReturnType<typeof destinations>>[number];

export interface PayoutDestination {
  /** For the given method or, by default, the chosen one; null when a field that it needs is missing. */
  details: PayoutDetails | null;
  /** Until when no payout may be created after a change of the details; null when it may. */
  cooldownUntil: Date | null;
  /** When the details were last changed or confirmed; null: never, since they were first stored. */
  detailsSince: Date | null;
  /** Whether the merchant entered the details. */
  isEntered: boolean;
  /** Who did, where it is known. */
  accountEnteredBy: string | null;
  accountEnteredAt: Date | null;
}

/** The details that the owner entered or, without any, those that the merchant did. */
export const openPayoutDestination = (
  ctx: Context,
  row: StoredPayoutDestination,
  method: PayoutMethod | null = row.payoutMethod,
): PayoutDestination => {
  const { ownDetails, enteredDetails } = row;
  const info =
    ownDetails === null
      ? enteredDetails && decryptPayoutInfo(ctx, { table: 'affiliate', id: row.affiliateId }, enteredDetails)
      : decryptPayoutInfo(ctx, { table: 'affiliate_profile', id: row.profileId }, ownDetails);
  const cooldownMs = ctx.settings.scaled(row.cooldownHours * HOUR_MS);
  const changedAt = row.detailsChangedAt;
  const merchantsUntil = changedAt && after(new Date(changedAt), cooldownMs).toISOString();
  return {
    details: info ? payoutDetailsFor(info, method) : null,
    cooldownUntil: cooldownUntil(ctx, merchantsUntil, row.ownCooldownUntil),
    detailsSince: latestOf(row.detailsChangedAt, row.detailsConfirmedAt),
    isEntered: ownDetails === null,
    accountEnteredBy: row.accountEnteredBy,
    accountEnteredAt: row.accountEnteredAt === null ? null : new Date(row.accountEnteredAt),
  };
};

export const latestOf = (...times: (string | null)[]): Date | null => {
  const known = times.filter((time) => time !== null).map((time) => Date.parse(time));
  return known.length === 0 ? null : new Date(Math.max(...known));
};

/** The end of what ends last; null when all is over. */
export const cooldownUntil = (ctx: Context, ...ends: (string | null)[]): Date | null => {
  const end = latestOf(...ends);
  return end !== null && end > ctx.clock.now() ? end : null;
};

/** As stored, in any order. */
export const findPayoutDestinations = (ctx: Context, affiliateIds: readonly string[]): Promise<StoredPayoutDestination[]> =>
  rows(ctx.em, destinations({ affiliateIds }));
