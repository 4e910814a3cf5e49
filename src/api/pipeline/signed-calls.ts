import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { readSignatureHeaders } from '../../platform/crypto/standard-webhooks.ts';
import { addressBucket } from '../../platform/http/address-bucket.ts';
import type { PublicReply, PublicRoute, SignedCalls, Visit } from '../../platform/http/public-route.ts';
import { targetOf } from './failed-signatures.ts';
import type { SignedDoor } from './signed-door.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The bytes of its body are kept, to verify what signed them. */
    keepsBody?: boolean;
  }
  interface FastifyRequest {
    /** Null unless the route keeps them. */
    bodyBytes: Buffer | null;
  }
}

const SIGNATURE_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** Whether the caller means to sign: one with half of the headers is told so, in place of being taken for a visitor. */
export const isSignedCall = (route: PublicRoute, { headers }: FastifyRequest): boolean =>
  route.signed !== undefined && SIGNATURE_HEADERS.some((name) => headers[name] !== undefined);

/** Rejects malformed signatures by the head of the call. */
export const admitSigned = async (route: PublicRoute, { failures }: SignedDoor, reply: FastifyReply): Promise<void> => {
  const { request } = reply;
  const target = targetOf(route.id, {});
  try {
    readSignatureHeaders(request.headers);
  } catch (error) {
    throw await failures.judge(reply, target, error);
  }
};

interface SignedInput {
  route: PublicRoute & { signed: SignedCalls };
  door: SignedDoor;
  ctx: Context;
  handle(): Promise<PublicReply>;
}

/** Handles a call once its signature was verified, in the turn of its signer. */
export const handleSigned = (reply: FastifyReply, { route, door, ctx, handle }: SignedInput): Promise<PublicReply> =>
  door.enter(reply, async (admit) => {
    const { request } = reply;
    const { headers, body, bodyBytes } = request;
    const signer = route.signed.signerOf(body);
    const target = targetOf(route.id, { signer });
    const isSuspect = door.failures.isSuspect(request, target);
    const message = { signer, headers, rawBody: bodyBytes ?? Buffer.alloc(0), isSuspect };
    const owner = await route.signed.verify(ctx, message).catch(async (error: unknown) => {
      throw await door.failures.judge(reply, target, error);
    });
    await admit(owner);
    return handle();
  });

/** The visit of the visitor whom a signed call speaks of. What a server says of itself, such as where it is, is left out. */
export const visitOfVisitor = (visit: Visit, { address, userAgent }: ReturnType<SignedCalls['visitorOf']>): Visit => ({
  ...visit,
  ...(address === undefined ? {} : { address: addressBucket(address) }),
  ...(userAgent === undefined ? {} : { userAgent }),
  isFromPage: false,
});
