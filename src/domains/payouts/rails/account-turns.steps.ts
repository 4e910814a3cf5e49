import { factsOf, isPaidFromMerchant, type Rail } from '../../../contracts/rails.ts';
import { LOOK_UP_JITTER, type PayoutSnapshot } from '../../../contracts/workflows/payouts.ts';
import { after, SECOND_MS } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { execute, firstRow } from '../../../platform/database/sql.ts';
import { notFound } from '../../../platform/errors.ts';
import { db } from '../../tables.ts';
import { probeAfter, turnOf } from './account-hold.rules.ts';
import { type Pace, paceFor, waitOf } from './pace.rules.ts';
import { findCurrentAccount } from './rail-accounts.steps.ts';

/** What a first attempt is sent from. `accountId` is null where the account is that of the installation. */
export interface Turn {
  accountId: string | null;
}

/** As `takeTurn`, whether or not the account is held: for an attempt that is not sent. */
export const findTurn = async (ctx: Context, { merchantId, rail }: { merchantId: string; rail: Rail }): Promise<Turn | null> => {
  if (!isPaidFromMerchant(rail)) return { accountId: null };
  const accountId = await findCurrentAccount(ctx, merchantId, rail);
  return accountId === null ? null : { accountId };
};

/** An order that may not be sent yet, and for how long it waits. */
export interface Wait {
  waitMs: number;
}

/** Null: the merchant has no account on the rail. */
export const takeTurn = async (ctx: Context, payout: { merchantId: string; rail: Rail }): Promise<Turn | Wait | null> => {
  const turn = await findTurn(ctx, payout);
  const wait = turn?.accountId ? await waitToSend(ctx, turn.accountId) : null;
  return wait ?? turn;
};

/**
 * Null when an order may be sent from an account now, which the caller's transaction then counts. While the account is held, one may in each
 * pause. Otherwise orders keep to the pace that the provider publishes. So of orders at the same time some are sent, and the others wait.
 */
export const waitToSend = async (ctx: Context, accountId: string): Promise<Wait | null> => {
  const account = db
    .selectFrom('rail_account')
    .select(['rail', 'merchantId', 'probes', 'probeAt', 'pacedAt'])
    .where('id', '=', accountId);
  const seen = await firstRow(ctx.em, account);
  if (!seen) throw notFound('Rail account');
  const pace = paceOf(ctx, seen);
  if (seen.probeAt === null && pace === null) return null;
  // Most orders over the pace wait for no lock.
  const seenMs = pace && seen.probeAt === null ? waitOf(pace, dateOf(seen.pacedAt), ctx.clock.now()) : 0;
  if (seenMs > 0) return { waitMs: spread(seenMs) };
  const locked = await firstRow(ctx.em, account.forNoKeyUpdate());
  if (!locked) throw notFound('Rail account');
  const { probeAt, probes, pacedAt } = locked;
  if (probeAt !== null) return probe(ctx, accountId, { probes, probeAt: new Date(probeAt) });
  return pace && keepPace(ctx, accountId, { pace, pacedAt: dateOf(pacedAt) });
};

const dateOf = (time: string | null): Date | null => (time === null ? null : new Date(time));

/** Orders that wait are not tried again all at the same moment. */
const SPREAD_MS = 20 * SECOND_MS;
const spread = (waitMs: number): number => waitMs + Math.round(Math.random() * SPREAD_MS);

const probe = async (ctx: Context, id: string, { probes, probeAt }: { probes: number; probeAt: Date }): Promise<Wait | null> => {
  const now = ctx.clock.now();
  if (turnOf(probeAt, now) === 'wait') return { waitMs: probeAt.getTime() - now.getTime() };
  const next = { probes: probes + 1, probeAt: probeAfter(now, probes + 1).toISOString() };
  await execute(ctx.em, db.updateTable('rail_account').set(next).where('id', '=', id));
  return null;
};

const keepPace = async (
  ctx: Context,
  id: string,
  { pace, pacedAt }: { pace: Pace; pacedAt: Date | null },
): Promise<Wait | null> => {
  const now = ctx.clock.now();
  const waitMs = waitOf(pace, pacedAt, now);
  if (waitMs > 0) return { waitMs: spread(waitMs) };
  const sent = after(new Date(Math.max(pacedAt?.getTime() ?? 0, now.getTime())), pace.intervalMs);
  await execute(ctx.em, db.updateTable('rail_account').set({ pacedAt: sent.toISOString() }).where('id', '=', id));
  return null;
};

/** For the workflow, which comes up to a share of the pause earlier. */
export const lookAgainAfter = ({ waitMs }: Wait): Pick<PayoutSnapshot, 'lookUpAfterMs'> => ({
  lookUpAfterMs: Math.ceil(waitMs / (1 - LOOK_UP_JITTER)),
});

/** Null where the provider publishes no limit, and where a double stands in for it, which has a limit of its own. */
export const paceOf = (
  { settings }: Pick<Context, 'settings'>,
  { merchantId, rail }: { merchantId: string; rail: Rail },
): Pace | null => {
  const perMinute = factsOf(rail)?.perMinute ?? null;
  return perMinute === null || settings.rails.toolsOf(rail, merchantId).providerUrl ? null : paceFor(perMinute);
};
