import type { KeyType, Scope } from '../../contracts/scopes.ts';
import { AppError } from '../../platform/errors.ts';
import { type Access, scopeFor } from '../../platform/http/operation.ts';

/** Who calls an operation, as far as its access rule asks. */
export interface Caller {
  keyType: KeyType;
  scopes: ReadonlySet<Scope>;
  /** A page inside an app of a merchant. */
  isEmbed?: boolean;
  /** A person under the domain of a program. */
  isOnDomain?: boolean;
}

const TYPE_NAMES = { merchant: 'Merchant', affiliate: 'Affiliate', onboarding: 'Onboarding' } as const;

/** Checks in this order: a caller, key type, embedded pages and domains, scope. `rejection` says why there is no caller. */
export const authorize = (access: Access, caller: Caller | null, rejection: string): void => {
  if (access === 'public') return;
  if (!caller) throw new AppError('UNAUTHORIZED', rejection);
  if (!access.keys.includes(caller.keyType)) {
    throw new AppError('FORBIDDEN', `${TYPE_NAMES[access.keys[0]]} key required`);
  }
  if (caller.isEmbed && !access.embed) throw new AppError('FORBIDDEN', 'Embedded pages cannot do this');
  if (caller.isOnDomain && !access.embed && !access.domain)
    throw new AppError('FORBIDDEN', 'This works under the name of this server only');
  const required: Scope | null = scopeFor(access, caller.keyType);
  if (required !== null && !caller.scopes.has(required)) {
    throw new AppError('INSUFFICIENT_SCOPE', `The API key lacks the scope ${required}`, {
      required,
      granted: [...caller.scopes],
    });
  }
};
