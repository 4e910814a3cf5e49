export { eraseInviteNames, eraseInvites } from './erase-invites.ts';
export { inviteStatusOf } from './invite-status.ts';
export { getInvite, lockInvite } from './invites.queries.ts';
export { type PublicInviteView, tokenParams } from './invites.wire.ts';
