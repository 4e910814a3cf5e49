import type { InviteStatus } from '../../contracts/invites.ts';
import type { ProgramStatus } from '../../contracts/programs.ts';

export interface InviteState {
  usageCount: number;
  usageLimit: number;
  expiresAt: Date | string;
}

/** What an invite is at a time. It can be claimed until the moment before it expires. */
export const inviteStatusOf = (invite: InviteState, programStatus: ProgramStatus, now: Date): InviteStatus => {
  if (invite.usageCount >= invite.usageLimit) return 'used_up';
  if (new Date(invite.expiresAt) <= now) return 'expired';
  return programStatus === 'active' ? 'open' : 'program_inactive';
};
