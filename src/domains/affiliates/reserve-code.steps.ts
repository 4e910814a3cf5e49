import type { Context } from '../../platform/context.ts';
import { execute, firstRow, sql } from '../../platform/database/sql.ts';
import { conflict, invalidField, invariant } from '../../platform/errors.ts';
import { db } from '../tables.ts';
import { codesOfName, isReserved, parseCode, randomCode } from './code.rules.ts';

const MAX_TRIES = 5;

interface CodeOwner {
  affiliateId: string;
  /** Null for the affiliate's own code. */
  linkId: string | null;
  /** Null: forever. */
  until?: Date | null | undefined;
  /** The affiliate that the code was reserved for so far. */
  holderId?: string | undefined;
}

/**
 * False when the code is somebody else's. Waits for a concurrent transaction that is reserving it. What is in use stays in use;
 * a reservation can be renewed, passed on by its holder, and taken over once it has ended.
 */
const tryReserve = async (ctx: Context, owner: CodeOwner, code: string): Promise<boolean> => {
  const { affiliateId, linkId, until = null, holderId = affiliateId } = owner;
  const inserted = await execute(
    ctx.em,
    db
      .insertInto('referral_code')
      .values({ code, affiliateId, linkId, fromName: false, reservedUntil: until?.toISOString() ?? null })
      .onConflict((conflict) =>
        conflict
          .column('code')
          .doUpdateSet((eb) => ({
            affiliateId: eb.ref('excluded.affiliateId'),
            linkId: eb.ref('excluded.linkId'),
            fromName: eb.ref('excluded.fromName'),
            reservedUntil: eb
              .case()
              .when('referral_code.reservedUntil', 'is not', null)
              .then(eb.ref('excluded.reservedUntil'))
              .end(),
          }))
          .where((eb) =>
            eb.or([
              eb.and([
                eb('referral_code.affiliateId', '=', eb.ref('excluded.affiliateId')),
                eb('referral_code.linkId', 'is not distinct from', eb.ref('excluded.linkId')),
              ]),
              eb.and([eb('referral_code.reservedUntil', 'is not', null), eb('referral_code.affiliateId', '=', holderId)]),
              eb('referral_code.reservedUntil', '<=', ctx.clock.now().toISOString()),
            ]),
          ),
      ),
  );
  return inserted === 1;
};

/** Lets others take a code that was reserved and not used. */
export const endReservation = async (ctx: Context, { code, holderId }: { code: string; holderId: string }): Promise<void> => {
  await execute(
    ctx.em,
    db
      .updateTable('referral_code')
      .set({ reservedUntil: ctx.clock.now().toISOString() })
      .where('code', '=', code)
      .where('affiliateId', '=', holderId)
      .where('reservedUntil', 'is not', null),
  );
};

export interface CodeReservation {
  /** If left out, forever. */
  until?: Date | undefined;
  /** The affiliate that the code was reserved for so far. */
  holderId?: string | undefined;
  /** The field that an invalid code is reported for. */
  field?: string | undefined;
}

interface RequestedCode extends CodeReservation {
  affiliateId: string;
  requested: string | undefined;
  /** Name of the affiliate, for a code that nobody requested. */
  name?: string | null | undefined;
  /** The link that the code belongs to as well. */
  linkId?: string | null | undefined;
}

/** Reserves the requested code of an affiliate (CODE_TAKEN when it is in use), or one made from the name, or a random one. */
export const reserveCode = async (
  ctx: Context,
  { affiliateId, requested, field = 'code', name, linkId = null, ...terms }: RequestedCode,
): Promise<string> => {
  const owner = { affiliateId, linkId, ...terms };
  if (requested !== undefined) return reserveRequested(ctx, owner, { text: requested, field });
  return (await reserveNamed(ctx, owner, name ?? '')) ?? reserveRandom(ctx, owner);
};

/** One statement, however many have the name: a template, because it selects what it inserts. Null when nothing is free. */
const reserveNamed = async (ctx: Context, { affiliateId, linkId }: CodeOwner, name: string): Promise<string | null> => {
  const codes = codesOfName(name);
  if (codes.length === 0) return null;
  const reserved = await firstRow(
    ctx.em,
    sql<{ code: string }>`insert into referral_code (code, affiliate_id, link_id, from_name)
      select c.code, ${affiliateId}::uuid, ${linkId}::uuid, true from unnest(${codes}::text[]) with ordinality as c (code, place)
      where not exists (select from referral_code r where r.code = c.code) order by c.place limit 1
      on conflict do nothing returning code`,
  );
  return reserved?.code ?? null;
};

/** Makes the code of an affiliate that of one of their links, too: a click of either is one of both. */
export const shareCode = async (
  ctx: Context,
  { affiliateId, code, linkId }: { affiliateId: string; code: string; linkId: string },
): Promise<void> => {
  const shared = await execute(
    ctx.em,
    db
      .updateTable('referral_code')
      .set({ linkId })
      .where('code', '=', code)
      .where('affiliateId', '=', affiliateId)
      .where('linkId', 'is', null),
  );
  invariant(shared === 1, 'an affiliate has reserved their code');
};

/** Reserves the requested code of a link (CODE_TAKEN when it is in use), or a random one. */
export const reserveLinkCode = (
  ctx: Context,
  { affiliateId, linkId, customSlug }: { affiliateId: string; linkId: string; customSlug: string | undefined },
): Promise<string> => {
  const owner = { affiliateId, linkId };
  if (customSlug !== undefined) return reserveRequested(ctx, owner, { text: customSlug, field: 'custom_slug' });
  return reserveRandom(ctx, owner);
};

const reserveRandom = async (ctx: Context, owner: CodeOwner): Promise<string> => {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const code = randomCode();
    if (!isReserved(code) && (await tryReserve(ctx, owner, code))) return code;
  }
  invariant(false, 'an unused code is found');
};

const reserveRequested = async (
  ctx: Context,
  owner: CodeOwner,
  { text, field }: { text: string; field: string },
): Promise<string> => {
  const code = parseCode(text);
  if (code === null) throw invalidField(field, 'must be 3 to 50 characters from a-z, 0-9, _ and -');
  if (isReserved(code)) throw invalidField(field, 'is a reserved word', 'reserved');
  if (!(await tryReserve(ctx, owner, code))) throw conflict('CODE_TAKEN', 'This code is already in use', { code });
  return code;
};
