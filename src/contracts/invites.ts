/** `program_inactive`: the program is paused or archived. Only `open` invites can be claimed. */
export const INVITE_STATUSES = ['open', 'used_up', 'expired', 'program_inactive'] as const;
export type InviteStatus = (typeof INVITE_STATUSES)[number];
