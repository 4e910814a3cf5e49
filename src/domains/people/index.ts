export { erasePersonAccount } from './erase-person-account.ts';
export { assertMember } from './people.queries.ts';
export { findSignedIn, type SignedIn } from './sessions.queries.ts';
export { addOwner, createPersonInvite } from './use-cases/invite.ts';
export { createSignInLink, deleteExpiredSignIns } from './use-cases/sign-in.ts';
