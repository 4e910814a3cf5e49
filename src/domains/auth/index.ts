export { actorsOfLine, assertSecondActor, hasSecondActor, type Made } from './actors.ts';
export { AffiliateSessions } from './affiliate-sessions.ts';
export { ApiKeyCache, type CachedApiKey, type KeyRejection } from './api-key-cache.ts';
export { isKeyAllowed } from './auth.queries.ts';
export { eraseKeys } from './erase-keys.ts';
export { shownActor, shownKey, shownText } from './shown-text.ts';
export { createApiKey } from './use-cases/create-api-key.ts';
export { revokeApiKey } from './use-cases/revoke-api-key.ts';
export { setApiKeyRateLimit } from './use-cases/set-api-key-rate-limit.ts';
