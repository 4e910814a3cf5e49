export { erasePersonAccount } from './erase-person-account.ts';
export { startedSessionExample } from './people.examples.ts';
export { assertMember } from './people.queries.ts';
export {
  type StartedSessionView,
  signInBody,
  signInByCodeBody,
  startedSessionSchema,
  startedSignInSchema,
  startSignInBody,
} from './people.wire.ts';
export { findSignedIn, type SignedIn } from './sessions.queries.ts';
export { addOwner, createPersonInvite } from './use-cases/invite.ts';
export {
  countCode,
  createSignInLink,
  deleteExpiredSignIns,
  type StartedSignIn,
  signInJoiner,
  startJoining,
  takeJoinerByCode,
  takeJoinerByLink,
} from './use-cases/sign-in.ts';
