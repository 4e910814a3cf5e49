export { erasePersonAccount } from './erase-person-account.ts';
export type { StartedSignIn } from './new-sign-in.ts';
export { startedSessionExample } from './people.examples.ts';
export { assertMember } from './people.queries.ts';
export {
  type StartedSessionView,
  signInBody,
  signInByCodeBody,
  startedSessionSchema,
  startedSignInSchema,
} from './people.wire.ts';
export { findSignedIn, type SignedIn } from './sessions.queries.ts';
export { addOwner, createPersonInvite } from './use-cases/invite.ts';
export { signInJoiner, startJoining, takeJoinerByCode, takeJoinerByLink } from './use-cases/joining.ts';
export { signOutEverywhere } from './use-cases/session.ts';
export { countCode, createSignInLink, deleteExpiredSignIns } from './use-cases/sign-in.ts';
