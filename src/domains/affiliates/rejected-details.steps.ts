import type { PayoutDetails } from '../../contracts/payouts.ts';
import { type Context, emitInternal } from '../../platform/context.ts';
import type { FieldCipher } from '../../platform/crypto/field-cipher.ts';
import { execute, rows, toIso } from '../../platform/database/sql.ts';
import { anyOf } from '../../platform/database/table.ts';
import { conflict } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { findPayoutDestinations, openPayoutDestination } from './payout-info.queries.ts';
import type { DetailsRejection } from './payout-info.wire.ts';

/** So many refusals of one destination pause it: for a merchant, and for all when several merchants had them. */
const REFUSALS_TO_PAUSE = 3;

/** Keyed hash of the account that a payout goes to: equal for the same account, whoever entered it. */
export const destinationDigest = (cipher: FieldCipher, { method, paypalEmail, bankIban, connected }: PayoutDetails): string => {
  if (connected) return cipher.digest(`${connected.rail} ${connected.account}`, 'payout.connected');
  return method === 'paypal'
    ? cipher.digest((paypalEmail ?? '').toLowerCase(), 'payout.paypal')
    : cipher.digest(bankIban ?? '', 'payout.iban');
};

export interface Payee {
  /** Null: whoever of the merchants pays. */
  merchantId: string | null;
  /** Null: nothing speaks against none. */
  details: PayoutDetails | null;
  /** When the details were last entered or confirmed: payouts that were created before say nothing. Null: they never changed. */
  detailsSince: Date | null;
}

interface Rejection {
  merchantId: string;
  destination: string;
  reason: string;
  payoutCreatedAt: string;
  refusedAt: string;
}

/** In the order of the payees; null for one that nothing speaks against. At most one statement. */
export const findRejections = async (ctx: Context, payees: readonly Payee[]): Promise<(DetailsRejection | null)[]> => {
  const digests = payees.map(({ details }) => details && destinationDigest(ctx.cipher, details));
  const known = new Set(digests.filter((digest) => digest !== null));
  if (known.size === 0) return payees.map(() => null);
  const found = await rows(
    ctx.em,
    db
      .selectFrom('details_refusal')
      .select(['merchantId', 'destination', 'reason', 'payoutCreatedAt', 'refusedAt'])
      .where('destination', '=', anyOf([...known]))
      .orderBy('refusedAt', 'desc'),
  );
  const byDestination = Map.groupBy(found, ({ destination }) => destination);
  return payees.map((payee, n) => rejectionOf(payee, byDestination.get(digests[n] ?? '') ?? []));
};

/** `refusals` are of the payee's destination, the latest first. */
const rejectionOf = ({ merchantId, detailsSince }: Payee, refusals: readonly Rejection[]): DetailsRejection | null => {
  const counting = refusals.filter(({ payoutCreatedAt }) => !detailsSince || new Date(payoutCreatedAt) > detailsSince);
  const merchants = new Set(counting.map((refusal) => refusal.merchantId));
  const [latest] = counting;
  const concerns = merchantId === null || merchants.size > 1 || merchants.has(merchantId);
  if (!latest || counting.length < REFUSALS_TO_PAUSE || !concerns) return null;
  // What happened to payouts of another merchant is not told.
  const shown = merchantId === null ? latest : counting.find((refusal) => refusal.merchantId === merchantId);
  return { railReason: shown?.reason ?? null, since: shown ? toIso(shown.refusedAt) : null };
};

/** Throws DETAILS_REJECTED. */
export const assertNotRejected = (rejection: DetailsRejection | null | undefined): void => {
  if (rejection)
    throw conflict(
      'DETAILS_REJECTED',
      'Payouts to these details were refused several times; change the details, or confirm that they are right',
      { ...rejection },
    );
};

interface RefusedPayout {
  id: string;
  merchantId: string;
  affiliateId: string;
  profileId: string;
  createdAt: Date;
}

/** A payout has one refusal at most. Tells the affiliate once the details are paused, if they are still those of the payout. */
export const recordRefusal = async (
  ctx: Context,
  payout: RefusedPayout,
  { details, reason }: { details: PayoutDetails; reason: string },
): Promise<void> => {
  const { id: payoutId, merchantId, affiliateId, profileId, createdAt } = payout;
  const destination = destinationDigest(ctx.cipher, details);
  const times = { payoutCreatedAt: createdAt.toISOString(), refusedAt: ctx.clock.now().toISOString() };
  await execute(
    ctx.em,
    db
      .insertInto('details_refusal')
      .values({ payoutId, merchantId, profileId, destination, reason, ...times })
      .onConflict((conflict) => conflict.column('payoutId').doNothing()),
  );
  const [stored] = await findPayoutDestinations(ctx, [affiliateId]);
  const current = stored && openPayoutDestination(ctx, stored, details.method);
  if (!current?.details || destinationDigest(ctx.cipher, current.details) !== destination) return;
  const { detailsSince, isEntered } = current;
  const [rejection] = await findRejections(ctx, [{ merchantId, details: current.details, detailsSince }]);
  if (!rejection) return;
  await emitInternal(ctx, {
    type: 'payout.details_rejected',
    profileId,
    affiliateId: isEntered ? affiliateId : null,
    method: details.method,
    railReason: reason,
    detailsSince: detailsSince?.toISOString() ?? null,
  });
};

/** It was paid after all. */
export const withdrawRefusal = (ctx: Context, payoutId: string): Promise<number> =>
  execute(ctx.em, db.deleteFrom('details_refusal').where('payoutId', '=', payoutId));
