export { eraseInviteNames, eraseInvites } from './erase-invites.ts';
export { inviteStatusOf } from './invite-status.ts';
export { getInviteToJoin, lockInvite } from './invites.queries.ts';
export { tokenParams } from './invites.wire.ts';
