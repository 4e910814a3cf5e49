import { defineEntity, p } from '@mikro-orm/core';
import { SIGN_IN_TRIES } from '../../contracts/people.ts';

/** A browser in which a person is signed in. */
export const PersonSessionSchema = defineEntity({
  name: 'PersonSession',
  tableName: 'person_session',
  properties: {
    id: p.uuid().primary(),
    personId: p.uuid(),
    /** SHA-256 of the cookie. */
    tokenHash: p.blob().$type<Buffer>(),
    /** What the browser calls itself. */
    device: p.text().nullable(),
    /** For which of their merchants the person acts; null: the first. */
    merchantId: p.uuid().nullable(),
    /** When the person last proved who they are: with a passkey, and with a new mailed code. */
    passkeyAt: p.datetime(3).nullable(),
    codeAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
    expiresAt: p.datetime(3),
    endedAt: p.datetime(3).nullable(),
  },
});

export class PersonSession extends PersonSessionSchema.class {
  end(at: Date): void {
    this.endedAt ??= at;
  }

  /** Acts for this merchant from now on. */
  choose(merchantId: string): void {
    this.merchantId = merchantId;
  }

  proveByPasskey(at: Date): void {
    this.passkeyAt = at;
  }

  proveByCode(at: Date): void {
    this.codeAt = at;
  }
}

PersonSessionSchema.setClass(PersonSession);

/** A mailed link and its code, for one sign-in, or for joining a program. */
export const SignInSchema = defineEntity({
  name: 'SignIn',
  tableName: 'sign_in',
  properties: {
    id: p.uuid().primary(),
    /** Null with `profileId`: nobody has the address, or it is for joining. */
    personId: p.uuid().nullable(),
    /** Of somebody who has not signed in yet. */
    profileId: p.uuid().nullable(),
    mailboxDigest: p.text(),
    addressDigest: p.text().nullable(),
    /** Of whoever joins a program with it; null with `name` for a sign-in. */
    email: p.text().nullable(),
    name: p.text().nullable(),
    /** SHA-256 of the token in the link. */
    tokenHash: p.blob().$type<Buffer>(),
    codeDigest: p.text(),
    tries: p.integer().default(0),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
  },
});

/** Who has an account once they prove the address. */
export interface Joiner {
  /** Lower case. */
  email: string;
  name: string;
}

export class SignIn extends SignInSchema.class {
  /** Neither used, nor ended, nor guessed at too often. */
  isValid(at: Date): boolean {
    return !this.usedAt && this.expiresAt > at && this.tries <= SIGN_IN_TRIES;
  }

  /** For a sign-in. */
  isOpen(at: Date): boolean {
    return (this.personId !== null || this.profileId !== null) && this.isValid(at);
  }

  /** Who joins with it; null when it is for a sign-in, or has ended. */
  joinerAt(at: Date): Joiner | null {
    const { email, name } = this;
    return typeof email === 'string' && typeof name === 'string' && this.isValid(at) ? { email, name } : null;
  }

  use(at: Date): void {
    this.usedAt = at;
  }
}

SignInSchema.setClass(SignIn);
