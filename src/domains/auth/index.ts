export { actorsOfLine, assertSecondActor, hasSecondActor, isGone, type Made, mayAct } from './actors.ts';
export { AffiliateSessions } from './affiliate-sessions.ts';
export { ApiKeyCache, type CachedApiKey, type KeyRejection } from './api-key-cache.ts';
export { dueReminders } from './approval-reminders.ts';
export {
  assertGranted,
  hasGrant,
  isGranted,
  isPersonOrNewKey,
  type KeysOfPerson,
  listKeysMadeBy,
  shownActor,
  shownCaller,
  shownText,
} from './auth.queries.ts';
export { cancelledWork, type KeyView, keySchema } from './auth.wire.ts';
export { eraseKeys } from './erase-keys.ts';
export { createApiKey, revokeApiKey, revokeKeysOf, setApiKeyRateLimit } from './use-cases/api-key.ts';
