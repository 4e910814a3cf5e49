export { eraseInviteNames, eraseInvites } from './erase-invites.steps.ts';
export { inviteStatusOf } from './invite-status.rules.ts';
export { getInviteToJoin, lockInvite } from './invites.queries.ts';
export { tokenParams } from './invites.wire.ts';
