import type { CancelledWork } from '../../../contracts/approvals.ts';
import { type Role, SCOPES_OF_ROLE } from '../../../contracts/people.ts';
import { recordChange, valuesOf } from '../../../platform/audit-log/record-change.ts';
import { actorName, type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { firstRow, flushPending } from '../../../platform/database/sql.ts';
import { conflict } from '../../../platform/errors.ts';
import { revokeKeysOf } from '../../auth/index.ts';
import { db } from '../../tables.ts';
import { findReplacement, keepPasskeysOf, lockPasskeysOf } from '../keep-passkeys.steps.ts';
import { announceApprover, approvesFromOf } from '../new-approvers.steps.ts';
import { lockPeopleOf, lockRole, personOf } from '../people.queries.ts';
import { type MemberView, toMember } from '../people.wire.ts';
import { Person, type PersonRole } from '../person.entity.ts';
import { endSessions } from './session.ts';

const assertNotLastOwner = async (ctx: Context, { merchantId, personId, role }: PersonRole): Promise<void> => {
  if (role !== 'owner') return;
  const other = await firstRow(
    ctx.em,
    db
      .selectFrom('person_role')
      .select('id')
      .where('merchantId', '=', merchantId)
      .where('role', '=', 'owner')
      .where('removedAt', 'is', null)
      .where('personId', '<>', personId)
      .limit(1),
  );
  if (!other) throw conflict('LAST_OWNER', 'The last owner stays: make somebody else an owner first');
};

/** Applies at once: keys of the person that can do more than the new role are revoked. LAST_OWNER for the only owner. */
export const changePersonRole = (ctx: Context, input: { personId: string; role: Role }): Promise<MemberView> =>
  inTransaction(ctx, async (ctx) => {
    personOf(ctx);
    await lockPeopleOf(ctx, merchantOf(ctx));
    const role = await lockRole(ctx, input.personId);
    if (input.role !== 'owner') await assertNotLastOwner(ctx, role);
    const before = valuesOf(role, ['role']);
    const [by, at] = [actorName(ctx.actor), ctx.clock.now()];
    const approvesFrom = await approvesFromOf(ctx, { merchantId: role.merchantId, role: input.role, old: role, by });
    const isChanged = input.role !== role.role;
    role.changeTo(input.role, { by, at, approvesFrom });
    const { merchantId: ownerId, personId: resourceId } = role;
    const revoked = await revokeKeysOf(ctx, { personId: resourceId, ownerId, beyond: SCOPES_OF_ROLE[input.role] });
    const after = { ...valuesOf(role, ['role']), ...(revoked.length > 0 && { revokedKeys: revoked.length }) };
    await recordChange(ctx, { ownerId, action: 'person.role_changed', resourceId, before, after });
    await flushPending(ctx.em);
    await ctx.onAccessEnded(ctx, ownerId);
    const person = await ctx.em.findOneOrFail(Person, { id: role.personId });
    if (isChanged) await announceApprover(ctx, role, person);
    return toMember({ ...role, name: person.name, email: person.email });
  });

export interface RemovePersonInput {
  personId: string;
  /** Keys that stay, with what was made with them. */
  keepKeys: readonly string[];
}

export interface RemovedPerson {
  personId: string;
  revokedKeys: number;
  cancelled: CancelledWork[];
}

/**
 * Ends the role, all sessions, the keys that the person made, and what waits in their name. LAST_OWNER for the only owner, who may be
 * yourself.
 */
export const removePerson = (ctx: Context, input: RemovePersonInput): Promise<RemovedPerson> =>
  inTransaction(ctx, async (ctx) => {
    personOf(ctx);
    await lockPeopleOf(ctx, merchantOf(ctx));
    const role = await lockRole(ctx, input.personId);
    await assertNotLastOwner(ctx, role);
    const now = ctx.clock.now();
    role.remove(now);
    const { merchantId: ownerId, personId } = role;
    await lockPasskeysOf(ctx, personId);
    const replacement = await findReplacement(ctx, personId);
    if (replacement?.ownerId === ownerId && replacement.isByOwner()) await keepPasskeysOf(ctx, personId, 'removal');
    await endSessions(ctx, personId);
    const revoked = await revokeKeysOf(ctx, { personId, ownerId, keep: input.keepKeys });
    await flushPending(ctx.em);
    const cancelled = await ctx.onAccessEnded(ctx, ownerId);
    await recordChange(ctx, {
      ownerId,
      action: 'person.removed',
      resourceId: personId,
      before: { role: role.role },
      after: { revokedKeys: revoked.length, ...(cancelled.length > 0 && { cancelled: cancelled.length }) },
    });
    return { personId, revokedKeys: revoked.length, cancelled };
  });
