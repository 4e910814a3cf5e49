import { type Context, inTransaction } from '../../../platform/context.ts';
import { invalidField } from '../../../platform/errors.ts';
import { getInviteToJoin } from '../../invites/index.ts';
import { type StartedSignIn, startJoining } from '../../people/index.ts';
import { notOpen } from './joining.ts';

export interface JoinByInviteInput {
  token: string;
  name: string;
  /** Only if the invite is not for one person, whose address it has. */
  email?: string | undefined;
}

/** Mails a link and a code to the person of the invite, or to the address given where anybody may claim it. */
export const startJoiningByInvite = (ctx: Context, { token, name, ...given }: JoinByInviteInput): Promise<StartedSignIn> =>
  inTransaction(ctx, async (ctx) => {
    const invite = await getInviteToJoin(ctx, token);
    if (invite.status !== 'open') throw notOpen(invite.status);
    if (invite.email !== null && given.email !== undefined)
      throw invalidField('email', 'is not allowed for an invite that is for one person');
    const email = invite.email ?? given.email;
    if (email === undefined) throw invalidField('email', 'is required');
    return startJoining(ctx, { email, name, program: invite.program, linkPath: `/i/${token}/link` });
  });
