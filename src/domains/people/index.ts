export { erasePersonAccount } from './erase-person-account.steps.ts';
export { findOrCreatePerson } from './find-or-create-person.steps.ts';
export type { StartedSignIn } from './new-sign-in.steps.ts';
export { companyExample, startedSessionExample } from './people.examples.ts';
export { assertKnownMailbox, assertMember, personOf, readPerson } from './people.queries.ts';
export {
  type CompanyView,
  companySchema,
  type StartedSessionView,
  signInBody,
  signInByCodeBody,
  startedSessionSchema,
  startedSignInSchema,
} from './people.wire.ts';
export type { Founder } from './person-session.entity.ts';
export { findSignedIn, type SignedIn } from './sessions.queries.ts';
export { startSession } from './start-session.steps.ts';
export { addOwner, createPersonInvite, revokeInvitesOfGone } from './use-cases/invite.ts';
export {
  signInJoiner,
  startJoining,
  startSigningUp,
  takeFounderByCode,
  takeFounderByLink,
  takeJoinerByCode,
  takeJoinerByLink,
} from './use-cases/joining.ts';
export { finishPasskeyReplacements, replacePasskeys, stopReplacementsOfGone } from './use-cases/passkey-replacement.ts';
export { chooseCompany, signOutEverywhere } from './use-cases/session.ts';
export { countCode, createSignInLink, deleteExpiredSignIns } from './use-cases/sign-in.ts';
