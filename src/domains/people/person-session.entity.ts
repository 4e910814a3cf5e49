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
    /** Of a person whom an invite made: all that the session opens. Null: everything of the person. */
    onlyMerchantId: p.uuid().nullable(),
    /** Under whose domain the person signed in, for which alone the session is good; null: the name of this server. */
    programId: p.uuid().nullable(),
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

/** A mailed link and its code, for one sign-in, for joining a program, or for signing up. */
export const SignInSchema = defineEntity({
  name: 'SignIn',
  tableName: 'sign_in',
  properties: {
    id: p.uuid().primary(),
    /** Null with `profileId`: nobody has the address, or it is no sign-in. */
    personId: p.uuid().nullable(),
    /** Of somebody who has not signed in yet. */
    profileId: p.uuid().nullable(),
    mailboxDigest: p.text(),
    addressDigest: p.text().nullable(),
    /** Of the /48 that an IPv6 address is in. */
    networkDigest: p.text().nullable(),
    /** Of whoever joins a program with it, or signs up; null with `name` for a sign-in. */
    email: p.text().nullable(),
    name: p.text().nullable(),
    /** Of the company that they sign up; null for everything else. */
    companyName: p.text().nullable(),
    /** Under whose domain it was asked for, for which alone it is good; null: the name of this server. */
    programId: p.uuid().nullable(),
    /** Whose fresh check it is for: whoever is signed in has limits of their own. Null: anybody may have asked. */
    sessionId: p.uuid().nullable(),
    /** Beyond a limit: no mail has it. */
    isForNobody: p.boolean().default(false),
    /** SHA-256 of the token in the link. */
    tokenHash: p.blob().$type<Buffer>(),
    /** Of a random text when the mail has no code. */
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

/** Who has a company once they prove the address. */
export interface Founder extends Joiner {
  companyName: string;
}

const askedBy = (signIn: SignIn, at: Date): Joiner | null => {
  const { email, name } = signIn;
  return typeof email === 'string' && typeof name === 'string' && signIn.isValid(at) ? { email, name } : null;
};

export class SignIn extends SignInSchema.class {
  /** Neither used nor ended. Wrong codes do not end the link: whoever enters them may be a stranger. */
  isValid(at: Date): boolean {
    return !this.usedAt && this.expiresAt > at;
  }

  /** The try itself is counted before it is made. */
  hasTriesLeft(): boolean {
    return this.tries <= SIGN_IN_TRIES;
  }

  /** For a sign-in. */
  isOpen(at: Date): boolean {
    return (this.personId !== null || this.profileId !== null) && this.isValid(at);
  }

  /** Who joins with it; null when it is for something else, or has ended. */
  joinerAt(at: Date): Joiner | null {
    return typeof this.companyName === 'string' ? null : askedBy(this, at);
  }

  /** Who signs up with it; null as above. */
  founderAt(at: Date): Founder | null {
    const { companyName } = this;
    const joiner = askedBy(this, at);
    return joiner && typeof companyName === 'string' ? { ...joiner, companyName } : null;
  }

  use(at: Date): void {
    this.usedAt = at;
  }
}

SignInSchema.setClass(SignIn);
