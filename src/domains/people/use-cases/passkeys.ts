import { LockMode } from '@mikro-orm/core';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { MAX_PASSKEYS_PER_PERSON, PASSKEY_CHALLENGE_MS } from '../../../contracts/people.ts';
import { recordChange } from '../../../platform/audit-log/record-change.ts';
import { after } from '../../../platform/clock.ts';
import { type Context, emitInternal, inTransaction } from '../../../platform/context.ts';
import { flushPending } from '../../../platform/database/sql.ts';
import { AppError, conflict, notFound } from '../../../platform/errors.ts';
import { keepPasskeysOf, lockPasskeysOf } from '../keep-passkeys.steps.ts';
import { Passkey, PasskeyChallenge, type PasskeyPurpose } from '../passkey.entity.ts';
import { findPasskeys } from '../passkeys.queries.ts';
import { type PasskeyView, type StartedPasskeyView, toPasskey } from '../passkeys.wire.ts';
import { lockSession, personOf, readPerson } from '../people.queries.ts';
import type { StartedSessionView } from '../people.wire.ts';
import { startSession } from '../start-session.steps.ts';

/** Passkeys belong to the host that people open; what browsers say must come from its pages. */
const relyingParty = ({ settings }: Context): { rpID: string; origin: string } => {
  const { hostname: rpID, origin } = new URL(settings.publicUrl);
  return { rpID, origin };
};

/** EdDSA, ES256 and RS256 of COSE: what devices have. */
const ALGORITHMS = [-8, -7, -257];

const LOCK = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const;

/** The passkeys of a person, as browsers know them. */
const findCredentials = async (ctx: Context, personId: string) =>
  (await findPasskeys(ctx, personId)).map(({ credentialId: id, transports }) => ({ id, transports }));

const createChallenge = (
  ctx: Context,
  { purpose, sessionId, options }: { purpose: PasskeyPurpose; sessionId: string | null; options: { challenge: string } },
): StartedPasskeyView => {
  const now = ctx.clock.now();
  const id = ctx.ids.next();
  const expiresAt = after(now, PASSKEY_CHALLENGE_MS);
  ctx.em.create(PasskeyChallenge, { id, purpose, challenge: options.challenge, sessionId, createdAt: now, expiresAt });
  return { challengeId: id, options: JSON.stringify(options) };
};

/** What a device needs to make a passkey. It asks for a fingerprint or a code of its own, and can be found without an address. */
export const startPasskeyRegistration = (ctx: Context): Promise<StartedPasskeyView> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId } = personOf(ctx);
    const person = await readPerson(ctx);
    const known = await findCredentials(ctx, personId);
    const options = await generateRegistrationOptions({
      rpName: 'Tributary',
      rpID: relyingParty(ctx).rpID,
      userID: new Uint8Array(Buffer.from(personId)),
      userName: person.email,
      userDisplayName: person.name,
      excludeCredentials: known,
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return createChallenge(ctx, { purpose: 'register', sessionId, options });
  });

/** Checks a person who is signed in, by one of their own passkeys. */
export const startPasskeyCheck = (ctx: Context): Promise<StartedPasskeyView> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId } = personOf(ctx);
    const known = await findCredentials(ctx, personId);
    if (known.length === 0) throw notFound('Passkey');
    const options = await generateAuthenticationOptions({
      rpID: relyingParty(ctx).rpID,
      allowCredentials: known,
      userVerification: 'required',
    });
    return createChallenge(ctx, { purpose: 'confirm', sessionId, options });
  });

/** Signs in anybody: the device says whose passkey it is. */
export const startPasskeySignIn = (ctx: Context): Promise<StartedPasskeyView> =>
  inTransaction(ctx, async (ctx) => {
    const options = await generateAuthenticationOptions({ rpID: relyingParty(ctx).rpID, userVerification: 'required' });
    return createChallenge(ctx, { purpose: 'sign_in', sessionId: null, options });
  });

const rejected = () => new AppError('UNAUTHORIZED', 'This passkey was not accepted. Try again');

export interface SignedChallenge {
  challengeId: string;
  /** What the device returned, as JSON. */
  response: string;
}

/** Uses a challenge up. Locked until the commit: of two who send it at the same time, one is rejected. */
const useChallenge = async (
  ctx: Context,
  { id, purpose, sessionId }: { id: string; purpose: PasskeyPurpose; sessionId: string | null },
): Promise<string> => {
  const found = await ctx.em.findOne(PasskeyChallenge, { id, purpose, sessionId }, LOCK);
  if (!found?.isOpen(ctx.clock.now())) throw rejected();
  found.use(ctx.clock.now());
  return found.challenge;
};

/** The library throws at everything that is not as it should be: none of it is told apart. */
const verified = async <T extends { verified: boolean }>(verify: () => Promise<T>): Promise<T & { verified: true }> => {
  const result = await verify().catch(() => null);
  if (!result?.verified) throw rejected();
  return result as T & { verified: true };
};

const parse = <T>(response: string): T => {
  try {
    return JSON.parse(response) as T;
  } catch {
    throw rejected();
  }
};

type Registration = Parameters<typeof verifyRegistrationResponse>[0]['response'];
type Authentication = Parameters<typeof verifyAuthenticationResponse>[0]['response'];

/** Keeps what a device made. It counts as a fresh check: the device asked who the person is. */
export const registerPasskey = (ctx: Context, input: SignedChallenge & { name: string }): Promise<PasskeyView> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId, ownerId } = personOf(ctx);
    const { rpID, origin } = relyingParty(ctx);
    await lockPasskeysOf(ctx, personId);
    const session = await lockSession(ctx, { personId, sessionId });
    const expectedChallenge = await useChallenge(ctx, { id: input.challengeId, purpose: 'register', sessionId });
    const response = parse<Registration>(input.response);
    const { registrationInfo } = await verified(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        supportedAlgorithmIDs: ALGORITHMS,
      }),
    );
    if (!registrationInfo) throw rejected();
    const { credential } = registrationInfo;
    const known = await findPasskeys(ctx, personId);
    if (known.length >= MAX_PASSKEYS_PER_PERSON)
      throw conflict('TOO_MANY_KEYS', `At most ${MAX_PASSKEYS_PER_PERSON} passkeys are allowed. Delete one first`);
    if (await ctx.em.findOne(Passkey, { credentialId: credential.id })) throw rejected();
    const now = ctx.clock.now();
    const passkey = ctx.em.create(Passkey, {
      id: ctx.ids.next(),
      personId,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      useCount: credential.counter,
      transports: credential.transports ?? [],
      name: input.name,
      createdAt: now,
    });
    session.proveByPasskey(now);
    // Whoever adds one has just used another, or has none that could be replaced.
    await keepPasskeysOf(ctx, personId, 'passkey');
    await recordChange(ctx, { ownerId, action: 'passkey.created', resourceId: passkey.id, hidden: ['publicKey'] });
    await tellPerson(ctx, passkey, 'added');
    return toPasskey(passkey);
  });

const tellPerson = async (ctx: Context, { id: passkeyId, name }: Passkey, change: 'added' | 'removed'): Promise<void> => {
  const { email } = await readPerson(ctx);
  await emitInternal(ctx, { type: 'person.passkey_changed', passkeyId, email, name, change });
};

/** Needs a fresh check of its own, and may delete the last one. NOT_FOUND for another person's. */
export const deletePasskey = (ctx: Context, { id }: { id: string }): Promise<PasskeyView> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, ownerId } = personOf(ctx);
    const passkey = await ctx.em.findOne(Passkey, { id, personId, deletedAt: null }, LOCK);
    if (!passkey) throw notFound('Passkey');
    passkey.delete(ctx.clock.now());
    await recordChange(ctx, { ownerId, action: 'passkey.deleted', resourceId: id });
    await tellPerson(ctx, passkey, 'removed');
    return toPasskey(passkey);
  });

interface SignedUse {
  response: string;
  expectedChallenge: string;
  /** The person whose passkey it must be. Undefined: whoever it belongs to. */
  personId?: string;
}

/**
 * Finds whose passkey signed a challenge. The passkey is locked: its count goes up by one use at a time. A person who uses one has not
 * lost it: a replacement is stopped.
 */
const verifyUse = async (ctx: Context, { response, expectedChallenge, personId }: SignedUse): Promise<Passkey> => {
  const parsed = parse<Authentication>(response);
  const found = await ctx.em.findOne(Passkey, { credentialId: String(parsed?.id), deletedAt: null });
  if (!found || found.personId !== (personId ?? found.personId)) throw rejected();
  await lockPasskeysOf(ctx, found.personId);
  const passkey = await ctx.em.findOne(Passkey, { id: found.id, deletedAt: null }, LOCK);
  if (!passkey) throw rejected();
  const { credentialId: id, publicKey, useCount: counter } = passkey;
  const { rpID, origin } = relyingParty(ctx);
  const { authenticationInfo } = await verified(() =>
    verifyAuthenticationResponse({
      response: parsed,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      credential: { id, publicKey: new Uint8Array(publicKey), counter },
    }),
  );
  passkey.use(authenticationInfo.newCounter, ctx.clock.now());
  await keepPasskeysOf(ctx, passkey.personId, 'passkey');
  return passkey;
};

/** A fresh check of the session. UNAUTHORIZED for a passkey of somebody else. */
export const confirmByPasskey = (ctx: Context, input: SignedChallenge): Promise<{ success: true }> =>
  inTransaction(ctx, async (ctx) => {
    const { personId, sessionId } = personOf(ctx);
    await lockPasskeysOf(ctx, personId);
    const session = await lockSession(ctx, { personId, sessionId });
    const expectedChallenge = await useChallenge(ctx, { id: input.challengeId, purpose: 'confirm', sessionId });
    await verifyUse(ctx, { response: input.response, expectedChallenge, personId });
    session.proveByPasskey(ctx.clock.now());
    return { success: true };
  });

/** Signs in whoever the passkey belongs to, with a fresh check. */
export const signInByPasskey = (
  ctx: Context,
  input: SignedChallenge & { device?: string | undefined },
): Promise<StartedSessionView> =>
  inTransaction(ctx, async (ctx) => {
    const expectedChallenge = await useChallenge(ctx, { id: input.challengeId, purpose: 'sign_in', sessionId: null });
    const { personId } = await verifyUse(ctx, { response: input.response, expectedChallenge });
    await flushPending(ctx.em);
    return startSession(ctx, { personId, device: input.device, provedBy: 'passkey' });
  });
