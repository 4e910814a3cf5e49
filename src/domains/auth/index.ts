export { actorsOfLine, assertSecondActor, hasSecondActor, type Made } from './actors.ts';
export { AffiliateSessions } from './affiliate-sessions.ts';
export { ApiKeyCache, type CachedApiKey, type KeyRejection } from './api-key-cache.ts';
export { dueReminders } from './approval-reminders.ts';
export { assertKeyAllowed, shownActor, shownKey, shownText } from './auth.queries.ts';
export { eraseKeys } from './erase-keys.ts';
export { createApiKey, revokeApiKey, setApiKeyRateLimit } from './use-cases/api-key.ts';
