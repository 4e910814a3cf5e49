import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { type Context, inTransaction, merchantOf } from '../../../platform/context.ts';
import { conflict } from '../../../platform/errors.ts';
import { assertSecondActor } from '../../auth/index.ts';
import { lockPeopleOf, lockRole, personOf } from '../people.queries.ts';
import { type MemberView, toMember } from '../people.wire.ts';
import { Person } from '../person.entity.ts';

/**
 * A second actor, who was there before, says that somebody new may approve. Throws APPROVAL_NOT_REQUIRED when nobody has to, and
 * SAME_ACTOR for the new person and whoever gave them the role.
 */
export const confirmApprover = (ctx: Context, { personId }: { personId: string }): Promise<MemberView> =>
  inTransaction(ctx, async (ctx) => {
    personOf(ctx);
    await lockPeopleOf(ctx, merchantOf(ctx));
    const role = await lockRole(ctx, personId);
    if (!role.isUnconfirmed(ctx.clock.now()))
      throw conflict('APPROVAL_NOT_REQUIRED', 'Nobody has to confirm that this person may approve', { role: role.role });
    const { merchantId: ownerId, grantedBy, roleSince: madeAt } = role;
    const self = `person:${personId}`;
    await assertSecondActor(ctx, { createdBy: grantedBy ?? self, madeAt, others: [self] });
    role.confirm();
    const [before, after] = [{ mayApprove: false }, { mayApprove: true }];
    await recordChange(ctx, { ownerId, action: 'person.role_changed', resourceId: personId, before, after });
    const { name, email } = await ctx.em.findOneOrFail(Person, { id: personId });
    return toMember({ ...role, name, email });
  });
