import type { PayoutMethod } from '../../contracts/affiliates.ts';
import type { PayoutDetails } from '../../contracts/payouts.ts';
import type { Rail } from '../../contracts/rails.ts';
import { after, HOUR_MS } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { compileOnce, type Given } from '../../platform/database/compiled.ts';
import { expressionBuilder, type InferResult, rows, sql } from '../../platform/database/sql.ts';
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

/**
 * What the owner connected at a provider for the merchant of an affiliate `a` with the profile `f`, and when that last changed where they are
 * paid. `account` is null where they are paid to their details. Null: they never connected anything.
 */
const connection = sql<StoredPlace | null>`(select jsonb_build_object('isPlace', bool_or(c.ready_at is not null and r.is_current),
    'rail', max(r.rail) filter (where c.ready_at is not null and r.is_current),
    'account', max(c.account_id) filter (where c.ready_at is not null and r.is_current and c.state = 'ready'),
    'changedAt', max(c.changed_at), 'cooldownUntil', max(c.cooldown_until))
  from stripe_connection c join rail_account r on r.id = c.rail_account_id
  where not a.profile_hidden and c.profile_id = f.id and c.merchant_id = a.merchant_id having count(*) > 0)`;

interface StoredPlace {
  /** They are paid there, or nowhere while the provider allows no payment. */
  isPlace: boolean;
  rail: Rail | null;
  account: string | null;
  changedAt: string | null;
  cooldownUntil: string | null;
}

const isConnected = sql<boolean>`exists (select from stripe_connection c join rail_account r on r.id = c.rail_account_id
  where not a.profile_hidden and c.profile_id = f.id and c.merchant_id = a.merchant_id and c.ready_at is not null and r.is_current)`;

/** The method of an affiliate `a` with its profile `f`. */
export const chosenMethod = eb
  .case()
  .when(isConnected)
  .then(sql.lit<PayoutMethod>('bank_transfer'))
  .when(hasOwn)
  .then(eb.ref('f.payoutMethod'))
  .else(eb.ref('a.payoutMethod'))
  .end();

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
  connection.as('connection'),
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
  const connectedAt = row.connection?.changedAt ?? null;
  const changedAt = latestOf(row.detailsChangedAt, connectedAt);
  const merchantsUntil = changedAt && after(changedAt, cooldownMs).toISOString();
  return {
    details: row.connection?.isPlace ? connectedDetails(row.connection, method) : info ? payoutDetailsFor(info, method) : null,
    cooldownUntil: cooldownUntil(ctx, merchantsUntil, row.ownCooldownUntil, row.connection?.cooldownUntil ?? null),
    detailsSince: latestOf(row.detailsChangedAt, row.detailsConfirmedAt, connectedAt),
    isEntered: ownDetails === null,
    accountEnteredBy: row.accountEnteredBy,
    accountEnteredAt: row.accountEnteredAt === null ? null : new Date(row.accountEnteredAt),
  };
};

/** Whoever is paid to a connected account has no other method at that merchant. */
const connectedDetails = ({ rail, account }: StoredPlace, method: PayoutMethod | null): PayoutDetails | null =>
  rail === null || account === null || method === 'paypal'
    ? null
    : {
        method: 'bank_transfer',
        ...{ paypalEmail: null, bankIban: null, bankBic: null, bankAccountHolder: null },
        connected: { rail, account },
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
