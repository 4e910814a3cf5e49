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
    /** The name that the browser gives itself. */
    device: p.text().nullable(),
    /** The merchant that the person acts for; null for the first one. */
    merchantId: p.uuid().nullable(),
    /** The only merchant that the session opens, for a person whom an invite created. Null: everything of the person. */
    onlyMerchantId: p.uuid().nullable(),
    /** The program under whose domain the person signed in: the session is valid only there. Null: the name of this server. */
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
    /** Profile of a person who has not signed in yet. */
    profileId: p.uuid().nullable(),
    mailboxDigest: p.text(),
    addressDigest: p.text().nullable(),
    /** Digest of the /48 network of an IPv6 address. */
    networkDigest: p.text().nullable(),
    /** Address of the person who joins a program or signs up with it; null, like `name`, for a sign-in. */
    email: p.text().nullable(),
    name: p.text().nullable(),
    /** Company that they sign up; null for everything else. */
    companyName: p.text().nullable(),
    /** The program under whose domain it was requested: it is valid only there. Null: the name of this server. */
    programId: p.uuid().nullable(),
    /** Session whose fresh check it is for: people who are signed in have limits of their own. Null: anybody may have asked. */
    sessionId: p.uuid().nullable(),
    /** It was beyond a limit: no mail contains it. */
    isForNobody: p.boolean().default(false),
    /** SHA-256 of the token in the link. */
    tokenHash: p.blob().$type<Buffer>(),
    /** Digest of a random text when the mail has no code. */
    codeDigest: p.text(),
    tries: p.integer().default(0),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    usedAt: p.datetime(3).nullable(),
  },
});

/** A person who has an account once they prove the address. */
export interface Joiner {
  /** Lower case. */
  email: string;
  name: string;
}

/** A person who has a company once they prove the address. */
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

  /** Whether it can still be used to sign in. */
  isOpen(at: Date): boolean {
    return (this.personId !== null || this.profileId !== null) && this.isValid(at);
  }

  /** The person who joins with it; null when it is for something else, or has ended. */
  joinerAt(at: Date): Joiner | null {
    return typeof this.companyName === 'string' ? null : askedBy(this, at);
  }

  /** The person who signs up with it; null as above. */
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
