import { type Context, inTransaction } from '../../../platform/context.ts';
import { lockOwned } from '../../../platform/ownership.ts';
import { endReservation } from '../../affiliates/index.ts';
import { readOwnedProgram } from '../../programs/index.ts';
import { Invite } from '../invite.entity.ts';
import { inviteStatusOf } from '../invite-status.ts';
import { type InviteView, toInvite } from '../invites.wire.ts';

/** Ends an invite, and the reservation of its tracking code. Who claimed it before keeps what they have. A second call changes nothing. */
export const revokeInvite = (ctx: Context, { id }: { id: string }): Promise<InviteView> =>
  inTransaction(ctx, async (ctx) => {
    const invite = await lockOwned(ctx, 'Invite', Invite, { id });
    const program = await readOwnedProgram(ctx, invite.programId);
    const now = ctx.clock.now();
    const { trackingCode: code, codeHolderId: holderId } = invite;
    if (invite.revoke(now) && code && holderId) await endReservation(ctx, { code, holderId });
    return toInvite(invite, inviteStatusOf(invite, program.status, now));
  });
