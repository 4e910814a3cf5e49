export { KeyRing, type KnownKey } from './key-ring.ts';
export { createKey } from './use-cases/create-key.ts';
export { revokeKey } from './use-cases/revoke-key.ts';
export { setKeyRate } from './use-cases/set-key-rate.ts';
