import { authorize, type Caller } from '../../../src/api/pipeline/authorize.ts';
import { OPERATIONS, PERSON_OPERATIONS } from '../../../src/api/routes.ts';
import { KEY_TYPES, type KeyType, SCOPES, type Scope } from '../../../src/contracts/scopes.ts';
import type { AppError } from '../../../src/platform/errors.ts';
import { type Access, scopeFor } from '../../../src/platform/http/operation.ts';

const ALL = [...OPERATIONS, ...PERSON_OPERATIONS];

/** `allowed`, or the code of the error. */
const outcomeOf = (access: Access, caller: Caller | null): string => {
  try {
    authorize(access, caller, 'Sign in first');
    return 'allowed';
  } catch (error) {
    return (error as AppError).code;
  }
};

const withScopes = (keyType: KeyType, scopes: readonly Scope[], more: Partial<Caller> = {}): Caller => ({
  keyType,
  scopes: new Set(scopes),
  ...more,
});

/** What somebody gets who may call an operation by its rule, with and without its scope. */
const outcomesOf = (access: Exclude<Access, 'public'>, keyType: KeyType, more: Partial<Caller> = {}): string[] => {
  const required = scopeFor(access, keyType);
  const exactly = withScopes(keyType, required === null ? [] : [required], more);
  const others = SCOPES.filter((scope) => scope !== required);
  return [outcomeOf(access, exactly), outcomeOf(access, withScopes(keyType, others, more))];
};

/** Compares every operation, for every type of key, with what is expected; returns the differences. */
const differences = (expected: (access: Exclude<Access, 'public'>, keyType: KeyType) => string[], more?: Partial<Caller>) =>
  ALL.flatMap(({ id, access }) => {
    if (access === 'public') return [];
    return KEY_TYPES.flatMap((keyType) => {
      const [found, wanted] = [outcomesOf(access, keyType, more).join(), expected(access, keyType).join()];
      return found === wanted ? [] : [`${id} for ${keyType}: ${found} instead of ${wanted}`];
    });
  });

const byScope = (access: Exclude<Access, 'public'>, keyType: KeyType): string[] =>
  scopeFor(access, keyType) === null ? ['allowed', 'allowed'] : ['allowed', 'INSUFFICIENT_SCOPE'];
const REFUSED = ['FORBIDDEN', 'FORBIDDEN'];

test('every operation lets in exactly its key types, each with exactly its scope', () => {
  expect(differences((access, keyType) => (access.keys.includes(keyType) ? byScope(access, keyType) : REFUSED))).toEqual([]);
});

test('embedded pages and people under the domain of a program reach only the operations for them', () => {
  const opensTo =
    (isOpen: (access: Exclude<Access, 'public'>) => boolean) => (access: Exclude<Access, 'public'>, keyType: KeyType) =>
      access.keys.includes(keyType) && isOpen(access) ? byScope(access, keyType) : REFUSED;
  expect(
    differences(
      opensTo(({ embed }) => embed === true),
      { isEmbed: true },
    ),
  ).toEqual([]);
  expect(
    differences(
      opensTo(({ embed, domain }) => embed === true || domain === true),
      { isOnDomain: true },
    ),
  ).toEqual([]);
});

test('without a caller, only what is public is open', () => {
  const open = ALL.filter(({ access }) => outcomeOf(access, null) === 'allowed').map(({ id }) => id);
  expect(open).toEqual(ALL.filter(({ access }) => access === 'public').map(({ id }) => id));
  expect(outcomeOf({ keys: ['merchant'], scope: 'any' }, null)).toBe('UNAUTHORIZED');
});

test('a refusal names the key type or the scope that is needed, and the scopes that are granted', () => {
  const access: Access = { keys: ['affiliate', 'merchant'], scope: { affiliate: 'profile:write', merchant: 'merchant:manage' } };
  const refuse = (caller: Caller | null) => () => authorize(access, caller, 'Sign in first');
  expect(refuse(null)).toThrow('Sign in first');
  expect(refuse(withScopes('onboarding', ['merchant:manage']))).toThrow('Affiliate key required');
  expect(refuse(withScopes('merchant', ['profile:write']))).toThrow(
    expect.objectContaining({ details: { required: 'merchant:manage', granted: ['profile:write'] } }),
  );
});
