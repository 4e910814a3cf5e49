import { SESSION_MS } from '../../contracts/people.ts';
import { after } from '../../platform/clock.ts';
import { type Context, siteOf } from '../../platform/context.ts';
import { generateToken } from '../../platform/crypto/token.ts';
import { firstRow } from '../../platform/database/sql.ts';
import { db } from '../tables.ts';
import type { StartedSessionView } from './people.wire.ts';
import { PersonSession } from './person-session.entity.ts';

interface NewSession {
  personId: string;
  device?: string | undefined;
  provedBy?: 'passkey' | 'code' | undefined;
  /** For which of their merchants the person acts. Default: the first. */
  merchantId?: string | undefined;
  /** Opens this merchant alone: the link of an invite lasts for days, and says less about who has it than one that was just asked for. */
  onlyMerchantId?: string | undefined;
}

/** Signs a person in, under the name of this server or the domain of a program. A new token each time, so that nobody can plant one. */
export const startSession = async (
  ctx: Context,
  { personId, device, provedBy, merchantId, onlyMerchantId }: NewSession,
): Promise<StartedSessionView> => {
  const { token, tokenHash } = generateToken();
  const now = ctx.clock.now();
  const expiresAt = after(now, SESSION_MS);
  const id = ctx.ids.next();
  const site = siteOf(ctx);
  const session = ctx.em.create(PersonSession, {
    id,
    personId,
    tokenHash,
    device: device ?? null,
    programId: site?.programId ?? null,
    onlyMerchantId: onlyMerchantId ?? null,
    createdAt: now,
    lastSeenAt: now,
    expiresAt,
  });
  if (merchantId !== undefined) session.choose(merchantId);
  if (provedBy === 'passkey') session.proveByPasskey(now);
  if (provedBy === 'code') session.proveByCode(now);
  const isMerchant = !site && (await hasRole(ctx, personId));
  return { token, expiresAt: expiresAt.toISOString(), home: isMerchant ? 'merchant' : 'affiliate' };
};

const hasRole = async (ctx: Context, personId: string): Promise<boolean> =>
  (await firstRow(
    ctx.em,
    db.selectFrom('person_role').select('id').where('personId', '=', personId).where('removedAt', 'is', null).limit(1),
  )) !== null;
