import { MAX_BODY_BYTES } from '../../contracts/limits.ts';
import { RECEIPT_LIMIT_MS } from '../../domains/resources/index.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/clock.ts';

const TRANSFERS = {
  max: 64,
  ofMerchant: 32,
  ofToken: 4,
  ofAddress: 8,
  /** A transfer that is slower over `progressMs` is ended. */
  bytesPerSecond: 32 * 1024,
  progressMs: 20 * SECOND_MS,
  /** Once a share is used up, the slowest transfer below this rate over `progressMs` gives way, so its holder has to read that fast. */
  contestedBytesPerSecond: 1024 * 1024,
  /** When another transfer needs a slot, the slowest one is determined over this time. */
  recentMs: 2 * SECOND_MS,
  checkEveryMs: SECOND_MS,
  uploadMs: RECEIPT_LIMIT_MS,
  downloadMs: 30 * MINUTE_MS,
} as const;

/** Limits what clients may hold of one API process, and for how long. */
export const LIMITS = {
  connections: {
    max: 8_192,
    /** Above this number, each new connection closes the one that has waited longest for a request. */
    idleAbove: 7_680,
    keepAliveMs: 65 * SECOND_MS,
    /** Empty lines between requests restart Node's own keep-alive timeout, so they could hold a connection for ever. */
    idleMs: 70 * SECOND_MS,
    /** Requests of one connection that wait for their response. HTTP clients pipeline few requests, most of them none. */
    pipelined: 16,
    /** Time from the head of a request to the last byte of its response. No operation takes longer, including receiving its body. */
    exchangeMs: 22 * SECOND_MS,
    /** How long the rest of a body is read and discarded after its request was answered. */
    discardMs: 2 * SECOND_MS,
    checkEveryMs: SECOND_MS,
  },
  heads: {
    receiveMs: 20 * SECOND_MS,
    /** How often Node looks for slow requests. */
    checkEveryMs: 5 * SECOND_MS,
    pathParameterChars: 256,
  },
  /** Bodies that are being received, in announced bytes. */
  bodies: {
    bytes: MAX_BODY_BYTES,
    ofProcessBytes: 32 * MAX_BODY_BYTES,
    ofCallerBytes: 4 * MAX_BODY_BYTES,
    /** Even an empty body holds a connection and its state. */
    countedBytes: 16 * 1024,
    receiveMs: 15 * SECOND_MS,
  },
  /** Requests in flight. */
  requests: {
    /** Above these numbers, the process sheds load: reads first, writes last. */
    reads: 256,
    writes: 512,
    /**
     * Requests of one owner, at most half of what the others leave: a merchant who sends more than this sheds only its own requests,
     * and however many merchants do so, the next one is admitted.
     */
    ofOwner: 96,
    /**
     * Requests of one owner that are processed at the same time; the others wait. This keeps database connections free and the
     * event queue short for the requests of other owners.
     */
    ofOwnerAtOnce: 8,
    waitMs: 5 * SECOND_MS,
    retryAfterSeconds: 1,
  },
  /** Messages of payment systems and payout providers in flight, whose signatures were verified: as `requests`, of one merchant or account. */
  messages: { max: 256, ofOwner: 32, ofOwnerAtOnce: 8, waitMs: 5 * SECOND_MS },
  /** Messages to one endpoint whose signatures are being verified. */
  unverifiedMessages: 64,
  /** Files that are received at the same time, and as many that are sent. */
  transfers: TRANSFERS,
  /** CSV files that are made while they are sent: each reads the database. */
  exports: { ...TRANSFERS, max: 8, ofMerchant: 2, ofToken: 1, ofAddress: 4 },
} as const;

/** Limits that Fastify and Node enforce. */
export const SERVER_LIMITS = {
  bodyLimit: LIMITS.bodies.bytes,
  // The longest upload sets it; every other body has a deadline of its own.
  requestTimeout: LIMITS.transfers.uploadMs + SECOND_MS,
  keepAliveTimeout: LIMITS.connections.keepAliveMs,
  routerOptions: { maxParamLength: LIMITS.heads.pathParameterChars },
  http: { connectionsCheckingInterval: LIMITS.heads.checkEveryMs, headersTimeout: LIMITS.heads.receiveMs },
};
