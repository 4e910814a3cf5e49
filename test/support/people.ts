import type { FastifyBaseLogger } from 'fastify';
import { callOperation, type OperationId, type OperationInput } from '../../src/api/pipeline/call-operation.ts';
import type { Role } from '../../src/contracts/people.ts';
import { getProfileEmail } from '../../src/domains/affiliates/index.ts';
import { startMailTry } from '../../src/domains/notifications/index.ts';
import { createPersonInvite, createSignInLink, findSignedIn, type SignedIn } from '../../src/domains/people/index.ts';
import type { Actor } from '../../src/platform/context.ts';
import { execute, firstRow, sql } from '../../src/platform/database/sql.ts';
import type { TestApi } from './api.ts';
import { makeAffiliate, makeMerchant, makeProgram, unique } from './factories.ts';

const OPERATOR = { kind: 'system', name: 'test' } as const;
const ANYBODY = { kind: 'anonymous' } as const;

type Response = { status: number; data: never; error?: { code: string; details: Record<string, unknown> } };

/** Calls an operation as a page does. */
export const callAs = async <Id extends OperationId>(
  { runtime }: Pick<TestApi, 'runtime'>,
  actor: Actor,
  id: Id,
  input: OperationInput<Id> & { idempotencyKey?: string },
  address = `10.0.${Math.floor(Math.random() * 200)}.${Math.floor(Math.random() * 200)}`,
) => {
  const requestId = `req_${unique()}`;
  const log = runtime.log as unknown as FastifyBaseLogger & typeof runtime.log;
  const response = await callOperation(id, input, { actor, origin: { address, requestId }, log, requestId, runtime });
  return response as unknown as Omit<Response, 'data'> & {
    data: Extract<typeof response, { data: unknown }>['data'];
  };
};

/** What the mail of a request holds that somebody proves their address with; null when it is not sent. */
export const mailedProof = async ({ runtime }: Pick<TestApi, 'runtime'>, signInId: string) => {
  const ctx = runtime.context(OPERATOR);
  const mail = await firstRow(ctx.em, sql<{ id: string }>`select id from mail where subject_id = ${signInId}::uuid`);
  const step = mail && (await startMailTry(ctx, { mailId: mail.id }));
  if (step?.kind !== 'send') return null;
  const { text, subject, to } = step.mail;
  const [, link = '', token = ''] = /(https?:\S+token=([\w-]+))/.exec(text) ?? [];
  return { link, token, code: /\b\d{3} \d{3}\b/.exec(text)?.[0] ?? '', text, subject, to };
};

export const tokenIn = (url: string): string => new URL(url).searchParams.get('token') ?? '';

/** Who is signed in with the token of a session. */
export const signedIn = ({ runtime }: Pick<TestApi, 'runtime'>, token: string): Promise<SignedIn | null> =>
  findSignedIn(runtime.context(ANYBODY), token);

export interface TestPerson {
  personId: string;
  email: string;
  token: string;
  actor: NonNullable<SignedIn['merchant']>['actor'];
}

/** The session of a token, as if a passkey was used now. */
const proveFresh = ({ runtime }: Pick<TestApi, 'runtime'>, token: string): Promise<number> => {
  const { em, clock } = runtime.context(OPERATOR);
  const now = clock.now().toISOString();
  return execute(em, sql`update person_session set passkey_at = ${now}::timestamptz where token_hash = sha256(${token}::bytea)`);
};

/** The session of the address, if somebody has signed in with it before. */
const signInIfKnown = async (api: TestApi, email: string): Promise<string | undefined> => {
  const ctx = api.runtime.context(OPERATOR);
  if (!(await firstRow(ctx.em, sql<{ id: string }>`select id from person where email = ${email.toLowerCase()}`)))
    return undefined;
  const { url } = await createSignInLink(ctx, { email });
  return (await callAs(api, ANYBODY, 'signIn', { body: { token: tokenIn(url) } })).data.token;
};

/** The session of a token, as if the person had signed in once more: an invite alone opens one company. */
const openAll = ({ runtime }: Pick<TestApi, 'runtime'>, token: string): Promise<number> => {
  const { em } = runtime.context(OPERATOR);
  return execute(em, sql`update person_session set only_merchant_id = null where token_hash = sha256(${token}::bytea)`);
};

/** A person who accepted an invite of a merchant, and is signed in. */
export const makePerson = async (
  api: TestApi,
  {
    merchantId,
    role = 'owner',
    email = `person-${unique()}@acme.example`,
    isFresh = true,
  }: { merchantId: string; role?: Role; email?: string; isFresh?: boolean },
): Promise<TestPerson> => {
  const { url } = await createPersonInvite(api.runtime.context(OPERATOR), { merchantId, email, role });
  const session = await signInIfKnown(api, email);
  const accepted = await callAs(api, ANYBODY, 'acceptPersonInvite', {
    body: { token: tokenIn(url), name: 'Grace Holt', session },
  });
  await openAll(api, accepted.data.token);
  if (isFresh) await proveFresh(api, accepted.data.token);
  const person = await signedIn(api, accepted.data.token);
  if (!person?.merchant) throw new Error(`not signed in: ${JSON.stringify(accepted)}`);
  return { personId: person.personId, email, token: accepted.data.token, actor: person.merchant.actor };
};

export const makeCompany = async (api: TestApi) => {
  const merchant = await makeMerchant(api.runtime);
  return { ...merchant, owner: await makePerson(api, merchant) };
};

/** An affiliate who signed in by a mail; some time ago unless `isFresh`. */
export const makeAffiliatePerson = async (api: TestApi, { isFresh = true }: { isFresh?: boolean } = {}) => {
  const { programId } = await makeProgram(api, (await makeMerchant(api.runtime)).key);
  const { profileId } = await makeAffiliate(api.runtime, programId);
  const ctx = api.runtime.context(OPERATOR);
  const { url } = await createSignInLink(ctx, { email: await getProfileEmail(ctx, profileId) });
  const { token } = (await callAs(api, ANYBODY, 'signIn', { body: { token: tokenIn(url) } })).data;
  const person = await signedIn(api, token);
  if (!person?.affiliate) throw new Error('no affiliate is signed in');
  const { personId } = person;
  if (!isFresh) await execute(ctx.em, sql`update person_session set code_at = null where person_id = ${personId}::uuid`);
  return { personId, profileId, programId, token, actor: person.affiliate.actor };
};
