import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { execute, sql } from '../../src/platform/database/sql.ts';
import type { TestApi } from './api.ts';
import { callAs, mailedProof, signedIn, type TestPerson } from './people.ts';

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest();
const uint = (value: number, bytes: number): Buffer => {
  const out = Buffer.alloc(bytes);
  out.writeUIntBE(value, 0, bytes);
  return out;
};

const PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;

const named = (name: string): Buffer => Buffer.concat([Buffer.from([0x60 + name.length]), Buffer.from(name)]);
const bytesOf = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([0x59]), uint(bytes.length, 2), bytes]);

/** A device that keeps one passkey, without a browser. */
export class TestAuthenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #credentialId = randomBytes(16);
  readonly #origin: string;
  #useCount = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  get id(): string {
    return base64url(this.#credentialId);
  }

  /** The response to the options of a registration. */
  create(options: string, origin = this.#origin): string {
    const clientData = this.#clientData('webauthn.create', options, origin);
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const [left, right] = [x, y].map((part) => Buffer.from(part, 'base64url')) as [Buffer, Buffer];
    // COSE: an elliptic curve key (1: 2) for ES256 (3: -7) on P-256 (-1: 1).
    const key = Buffer.concat([Buffer.from('a5010203262001215820', 'hex'), left, Buffer.from('225820', 'hex'), right]);
    const credential = Buffer.concat([Buffer.alloc(16), uint(16, 2), this.#credentialId, key]);
    const authData = Buffer.concat([this.#head(PRESENT_AND_VERIFIED | HAS_CREDENTIAL), credential]);
    const attestation = Buffer.concat([
      Buffer.from([0xa3]),
      named('fmt'),
      named('none'),
      named('attStmt'),
      Buffer.from([0xa0]),
      named('authData'),
      bytesOf(authData),
    ]);
    return this.#respond({
      clientDataJSON: base64url(clientData),
      attestationObject: base64url(attestation),
      transports: ['internal'],
    });
  }

  /** The response to a challenge. */
  get(options: string, origin = this.#origin): string {
    const clientData = this.#clientData('webauthn.get', options, origin);
    this.#useCount++;
    const authData = this.#head(PRESENT_AND_VERIFIED);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#keys.privateKey);
    return this.#respond({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: base64url(signature),
    });
  }

  #respond(response: object): string {
    const { id } = this;
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  #clientData(type: string, options: string, origin: string): Buffer {
    const { challenge } = JSON.parse(options) as { challenge: string };
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }

  #head(flags: number): Buffer {
    return Buffer.concat([sha256(new URL(this.#origin).hostname), Buffer.from([flags]), uint(this.#useCount, 4)]);
  }
}

type Api = Pick<TestApi, 'runtime'>;
type Session = Pick<TestPerson, 'token'>;

/** The person as their session is now. */
export const actorOf = async (api: Api, { token }: Session) => {
  const found = await signedIn(api, token);
  if (!found?.merchant) throw new Error('not signed in');
  return found.merchant.actor;
};

/** Adds a passkey, as the page does. */
export const registerPasskey = async (
  api: Api,
  person: Session,
  device = new TestAuthenticator(api.runtime.config.PUBLIC_URL),
) => {
  const actor = await actorOf(api, person);
  const { data } = await callAs(api, actor, 'startPasskeyRegistration', {});
  const body = { challengeId: data.challengeId, response: device.create(data.options), name: 'Laptop' };
  return { device, response: await callAs(api, actor, 'registerPasskey', { body }), body };
};

/** A challenge that a device has signed, and the fresh check with it. */
export const signCheck = async (api: Api, person: Session, device: TestAuthenticator, origin?: string) => {
  const { data } = await callAs(api, await actorOf(api, person), 'startPasskeyCheck', {});
  const body = { challengeId: data.challengeId, response: device.get(data.options, origin) };
  return { body, confirm: async (by = person) => callAs(api, await actorOf(api, by), 'confirmByPasskey', { body }) };
};

export const signInWith = async (api: Api, device: TestAuthenticator) => {
  const { data } = await callAs(api, { kind: 'anonymous' }, 'startPasskeySignIn', {});
  const body = { challengeId: data.challengeId, response: device.get(data.options) };
  return callAs(api, { kind: 'anonymous' }, 'signInByPasskey', { body });
};

/** A new mailed code, and the fresh check with it. */
export const mailCheck = async (api: Api, person: Session) => {
  const { data } = await callAs(api, await actorOf(api, person), 'startCodeCheck', {});
  const code = (await mailedProof(api, data.id))?.code ?? '';
  const confirm = async (by = person) =>
    callAs(api, await actorOf(api, by), 'confirmByCode', { body: { signInId: data.id, code } });
  return { confirm, code, signInId: data.id };
};

/** As if the person had proved who they are so many minutes ago. */
export const forgetProof = ({ runtime }: Api, { personId }: Pick<TestPerson, 'personId'>, minutes = 6): Promise<number> =>
  execute(
    runtime.context({ kind: 'system', name: 'test' }).em,
    sql`update person_session set passkey_at = now() - make_interval(mins => ${minutes}), code_at = now() - make_interval(mins => ${minutes})
      where person_id = ${personId}::uuid`,
  );
