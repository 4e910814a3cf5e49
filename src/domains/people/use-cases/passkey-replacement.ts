import { LockMode } from '@mikro-orm/core';
import type { CancelledWork } from '../../../contracts/approvals.ts';
import { MAX_PASSKEY_REPLACEMENTS_PER_DAY, PASSKEY_REPLACEMENT_MS } from '../../../contracts/people.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after, DAY_MS, SECOND_MS } from '../../../platform/clock.ts';
import { actorName, type Context, emitInternal, inTransaction, merchantOf } from '../../../platform/context.ts';
import { generateToken, hashToken } from '../../../platform/crypto/token.ts';
import { firstRow, rows, sql } from '../../../platform/database/sql.ts';
import { AppError, conflict, notFound } from '../../../platform/errors.ts';
import { isGone } from '../../auth/index.ts';
import { db } from '../../tables.ts';
import { findReplacement, keepPasskeysOf, lockPasskeysOf } from '../keep-passkeys.steps.ts';
import { Passkey } from '../passkey.entity.ts';
import { PasskeyReplacement } from '../passkey-replacement.entity.ts';
import { findPasskeys } from '../passkeys.queries.ts';
import { type PasskeyReplacementView, toPasskeyReplacement } from '../passkeys.wire.ts';
import { lockRole, personOf } from '../people.queries.ts';
import { Person } from '../person.entity.ts';
import { endSessions } from './session.ts';

const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** Whether nobody but the merchant relies on the passkeys of the person. A template: a row without a table. */
const isOnlyOf = async (ctx: Context, { personId, merchantId }: { personId: string; merchantId: string }): Promise<boolean> =>
  (
    await firstRow(
      ctx.em,
      sql<{ isOnly: boolean }>`select
        exists (select from person_role where person_id = ${personId}::uuid and merchant_id = ${merchantId}::uuid and removed_at is null)
        and not exists (select from person_role where person_id = ${personId}::uuid and merchant_id <> ${merchantId}::uuid and removed_at is null)
        and not exists (select from affiliate_profile f join person p on p.email = lower(f.email)
          where p.id = ${personId}::uuid and f.erased_at is null) as "isOnly"`,
    )
  )?.isOnly === true;

const countToday = async (ctx: Context, personId: string): Promise<number> => {
  const found = await firstRow(
    ctx.em,
    db
      .selectFrom('passkey_replacement')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('personId', '=', personId)
      .where('createdAt', '>', after(ctx.clock.now(), -DAY_MS).toISOString()),
  );
  return found?.count ?? 0;
};

const recordRequest = (ctx: Context, { personId, dueAt }: PasskeyReplacement, ownerId: string): Promise<void> =>
  recordChange(ctx, {
    ownerId,
    action: 'person.passkey_replacement_requested',
    resourceId: personId,
    after: { dueAt: dueAt.toISOString() },
  });

/**
 * One at a time: asked for again, it does not begin anew, but is the operator's from then on if they ask. The person is mailed at once. The
 * caller holds the lock of the passkeys.
 */
const request = async (ctx: Context, { id: personId, email }: Person, ownerId: string): Promise<PasskeyReplacement> => {
  const requestedBy = actorName(ctx.actor);
  const isOperator = ctx.actor.kind === 'system';
  const open = await findReplacement(ctx, personId);
  if (open) {
    if (isOperator && open.isByOwner()) {
      open.takeOver(requestedBy);
      await recordRequest(ctx, open, ownerId);
    }
    return open;
  }
  if ((await findPasskeys(ctx, personId)).length === 0)
    throw conflict('NO_PASSKEY', 'The person has no passkey, and adds one with a mailed code');
  // An owner who asks and thinks again must not keep the operator from it.
  if (!isOperator && (await countToday(ctx, personId)) >= MAX_PASSKEY_REPLACEMENTS_PER_DAY)
    throw new AppError('RATE_LIMITED', 'The person stopped this several times. Ask them before the next try', {
      retryAfter: DAY_MS / SECOND_MS,
    });
  const { token, tokenHash } = generateToken();
  const now = ctx.clock.now();
  const dueAt = after(now, ctx.settings.scaled(PASSKEY_REPLACEMENT_MS));
  const id = ctx.ids.next();
  const made = ctx.em.create(PasskeyReplacement, { id, personId, ownerId, requestedBy, tokenHash, createdAt: now, dueAt });
  await recordRequest(ctx, made, ownerId);
  const url = `${ctx.settings.publicUrl}/sign-in/keep-passkeys?token=${token}`;
  const merchantId = made.isByOwner() ? ownerId : null;
  await emitInternal(ctx, { type: 'person.passkey_replacement_requested', replacementId: id, merchantId, email, url, dueAt });
  return made;
};

/**
 * By an owner, for a person of their account. OPERATOR_NEEDED for somebody who belongs to others too, or earns as an affiliate: an owner
 * must not weaken what protects the accounts of others.
 */
export const startPasskeyReplacement = (ctx: Context, { personId }: { personId: string }): Promise<PasskeyReplacementView> =>
  inTransaction(ctx, async (ctx) => {
    personOf(ctx);
    const merchantId = merchantOf(ctx);
    await lockRole(ctx, personId);
    await lockPasskeysOf(ctx, personId);
    if (!(await isOnlyOf(ctx, { personId, merchantId })))
      throw conflict('OPERATOR_NEEDED', 'Only the server operator can replace the passkeys of this person');
    const person = await ctx.em.findOneOrFail(Person, { id: personId });
    return toPasskeyReplacement(await request(ctx, person, merchantId));
  });

/** By the operator, for everybody. `ownerId` is the merchant or the profile in whose audit log it is. */
export const replacePasskeys = (
  ctx: Context,
  { email, ownerId }: { email: string; ownerId: string },
): Promise<{ personId: string; dueAt: Date }> =>
  inTransaction(ctx, async (ctx) => {
    const person = await ctx.em.findOne(Person, { email: email.trim().toLowerCase() });
    if (!person) throw notFound('Person');
    await lockPasskeysOf(ctx, person.id);
    const { personId, dueAt } = await request(ctx, person, ownerId);
    return { personId, dueAt };
  });

/** By an owner. What the operator asked for stays. */
export const cancelPasskeyReplacement = (ctx: Context, { personId }: { personId: string }): Promise<PasskeyReplacementView> =>
  inTransaction(ctx, async (ctx) => {
    personOf(ctx);
    await lockRole(ctx, personId);
    await lockPasskeysOf(ctx, personId);
    const open = await findReplacement(ctx, personId);
    if (open?.ownerId === merchantOf(ctx) && open.isByOwner()) await keepPasskeysOf(ctx, personId, 'owner');
    const left = open?.status === 'pending' ? open : null;
    return toPasskeyReplacement({ personId, dueAt: left?.dueAt ?? null });
  });

/** With the link of the mail. NOT_FOUND for one that has ended. */
export const stopPasskeyReplacement = (ctx: Context, { token }: { token: string }): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const found = await ctx.em.findOne(PasskeyReplacement, { tokenHash: hashToken(token) });
    if (!found) throw notFound('Link');
    await lockPasskeysOf(ctx, found.personId);
    if ((await findReplacement(ctx, found.personId))?.id !== found.id) throw notFound('Link');
    await keepPasskeysOf(ctx, found.personId, 'link');
    return { success: true };
  });

/** By the person, who has signed in. Nothing, when nobody asked for a replacement. */
export const keepPasskeys = (ctx: Context): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const { personId } = personOf(ctx);
    await lockPasskeysOf(ctx, personId);
    await keepPasskeysOf(ctx, personId, 'person');
    return { success: true };
  });

const BATCH = 100;

/** Ends the passkeys of whose replacement is due: at most a batch, each in a transaction of its own. Returns how many were due. */
export const finishPasskeyReplacements = async (ctx: Context): Promise<number> => {
  const due = await rows(
    ctx.em,
    db
      .selectFrom('passkey_replacement')
      .select(['id', 'personId'])
      .where('status', '=', sql.lit('pending' as const))
      .where('dueAt', '<=', ctx.clock.now().toISOString())
      .orderBy('dueAt')
      .limit(sql.lit(BATCH)),
  );
  for (const { id, personId } of due) await finish(ctx, id, personId);
  return due.length;
};

/** Replacements that an owner asked for who is no owner any more, of one merchant or of all: at most a batch. */
export const stopReplacementsOfGone = (ctx: Context, merchantId: string | null): Promise<CancelledWork[]> =>
  inTransaction(ctx, async (ctx) => {
    const found = db
      .selectFrom('passkey_replacement')
      .select(['id', 'personId'])
      .where('status', '=', sql.lit('pending' as const))
      .where(
        isGone({
          actor: sql`passkey_replacement.requested_by`,
          merchantId: sql`passkey_replacement.owner_id`,
          scope: 'merchant:manage',
        }),
      )
      .orderBy('personId')
      .limit(sql.lit(BATCH));
    const stopped: CancelledWork[] = [];
    for (const { id, personId } of await rows(ctx.em, merchantId === null ? found : found.where('ownerId', '=', merchantId))) {
      await lockPasskeysOf(ctx, personId);
      if ((await findReplacement(ctx, personId))?.id !== id) continue;
      await keepPasskeysOf(ctx, personId, 'removal');
      stopped.push({ kind: 'passkey_replacement', id });
    }
    return stopped;
  });

/** Nothing, when somebody stopped it meanwhile. Passkeys that the person has now are old: whoever adds one with another keeps both. */
const finish = (ctx: Context, id: string, personId: string): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await lockPasskeysOf(ctx, personId);
    const replacement = await findReplacement(ctx, personId);
    if (replacement?.id !== id) return;
    const { ownerId } = replacement;
    if (replacement.isByOwner() && !(await isOnlyOf(ctx, { personId, merchantId: ownerId })))
      return keepPasskeysOf(ctx, personId, 'rule');
    const now = ctx.clock.now();
    replacement.finish(now);
    await endSessions(ctx, personId);
    const passkeys = await ctx.em.find(Passkey, { personId, deletedAt: null }, LOCK);
    for (const passkey of passkeys) passkey.delete(now);
    const ended = { passkeys: passkeys.length };
    await recordChange(ctx, { ownerId, action: 'person.passkeys_replaced', resourceId: personId, after: ended });
    const { email } = await ctx.em.findOneOrFail(Person, { id: personId });
    await emitInternal(ctx, { type: 'person.passkeys_replaced', replacementId: id, email });
  });
