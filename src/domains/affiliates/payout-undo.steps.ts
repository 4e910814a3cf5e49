import { DETAILS_COOLDOWN_MS } from '../../contracts/people.ts';
import { after } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { generateToken, hashToken } from '../../platform/crypto/token.ts';
import { isPersonOrNewKey } from '../auth/index.ts';
import type { AffiliateProfile } from './affiliate-profile.entity.ts';
import type { PayoutInfo } from './payout-info.rules.ts';

interface PayoutUndo {
  /** The same for all changes until the cooldown ends: each mail about one of them has the link. */
  token: string;
  /** The details before the first of these changes. */
  before: PayoutInfo;
  /** ISO time of the first of these changes. */
  startedAt: string;
}

const contextOf = (row: string) => ({ table: 'affiliate_profile', column: 'payout_undo', row }) as const;

/** What can be brought back, and until when; null when no cooldown lasts. */
export const openUndo = (
  ctx: Context,
  { id, payoutCooldownUntil: until, payoutUndo }: AffiliateProfile,
): { undo: PayoutUndo; until: Date } | null =>
  payoutUndo && until && until > ctx.clock.now()
    ? { undo: JSON.parse(ctx.cipher.decrypt(payoutUndo, contextOf(id))) as PayoutUndo, until }
    : null;

/**
 * Whoever took over a session or mailbox cannot be paid at once: after a change by a person, or by a new key of theirs, nobody pays to
 * the profile for DETAILS_COOLDOWN_MS. Returns the link that brings the details before these changes back: it is the same until the wait
 * ends, whatever is changed meanwhile. Null when nobody waits.
 */
export const waitAfterChange = async (
  ctx: Context,
  profile: AffiliateProfile,
  before: PayoutInfo,
): Promise<{ url: string; until: Date } | null> => {
  const now = ctx.clock.now();
  const waitMs = ctx.settings.scaled(DETAILS_COOLDOWN_MS);
  const open = openUndo(ctx, profile);
  const undo = open?.undo ?? { token: generateToken().token, before, startedAt: now.toISOString() };
  const url = `${ctx.settings.publicUrl}/payout-details/restore?token=${undo.token}`;
  if (!(await isPersonOrNewKey(ctx, after(now, -waitMs)))) return open && { url, until: open.until };
  const until = after(now, waitMs);
  const ciphertext = ctx.cipher.encrypt(JSON.stringify(undo), contextOf(profile.id));
  profile.startCooldown(until, { ciphertext, hash: hashToken(undo.token) });
  return { url, until };
};
