export { actorsOfLine, assertSecondActor, hasSecondActor, isGone, type Made, mayAct } from './actors.steps.ts';
export { AffiliateSessions } from './affiliate-sessions.cache.ts';
export { ApiKeyCache, type CachedApiKey, type KeyRejection } from './api-keys.cache.ts';
export { dueReminders } from './approval-reminders.steps.ts';
export {
  assertGranted,
  hasGrant,
  isGranted,
  isPersonOrNewKey,
  type KeysOfPerson,
  listKeysMadeBy,
  roleOfActor,
  roleOfCaller,
  shownActor,
} from './auth.queries.ts';
export { cancelledWork, type KeyView, keySchema } from './auth.wire.ts';
export { eraseKeys } from './erase-keys.steps.ts';
export { createApiKey, revokeApiKey, revokeKeysOf, setApiKeyRateLimit } from './use-cases/api-key.ts';
