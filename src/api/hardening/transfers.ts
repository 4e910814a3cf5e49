import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { SECOND_MS } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { LIMITS } from './limits.ts';
import { isGone, overloaded } from './load-shedding.ts';

type TransferLimits = Readonly<Record<keyof typeof LIMITS.transfers, number>>;

/** A file that is received or sent. */
export interface TransferInput {
  direction: 'upload' | 'download';
  /** The merchant that the file belongs to. */
  merchantId: string;
  /** The token in the signed URL. */
  token: string;
  address: string;
}

/** Counts a transfer until its connection is done with it; throws 429 `OVERLOADED` over a limit. */
export type EnterTransfer = (reply: FastifyReply, input: TransferInput) => void;

interface Transfer extends TransferInput {
  /** Bytes at each of the last checks, the latest last. */
  bytes: number[];
  /** Frees its slot, and closes the connection of an unfinished one. */
  end(): void;
}

/**
 * Transfers take minutes: they have limits of their own, so that they shut out no other request. One that makes no progress is
 * ended; so is the slowest one when another needs its slot. Uploads and downloads do not compete.
 */
export const limitTransfers = (limits: TransferLimits = LIMITS.transfers): EnterTransfer => {
  const open = new Set<Transfer>();
  const checksPerDeadline = Math.ceil(limits.progressMs / limits.checkEveryMs);
  const recentChecks = Math.ceil(limits.recentMs / limits.checkEveryMs);
  const atRate = (perSecond: number, checks: number): number => (perSecond * checks * limits.checkEveryMs) / SECOND_MS;

  /** Null for a transfer that has not run long enough to be judged. */
  const progressOf = ({ bytes }: Transfer, checks: number): number | null => {
    const before = bytes.at(-1 - checks);
    return before === undefined ? null : (bytes.at(-1) ?? 0) - before;
  };

  /** Makes space for one more by ending the slowest; false if it is faster than `perSecond`. */
  const endSlowest = (among: readonly Transfer[], checks: number, perSecond: number): boolean => {
    const judged = among.flatMap((transfer) => {
      const progress = progressOf(transfer, checks);
      return progress === null || progress >= atRate(perSecond, checks) ? [] : [{ transfer, progress }];
    });
    const [slowest] = judged.sort((a, b) => a.progress - b.progress);
    slowest?.transfer.end();
    return slowest !== undefined;
  };

  /** A share is one merchant's, so a fast transfer keeps its place in it: ending it would be another way to stop it. */
  const makeSpaceIn = (sharing: readonly Transfer[]): boolean =>
    endSlowest(sharing, recentChecks, limits.bytesPerSecond) ||
    endSlowest(sharing, checksPerDeadline, limits.contestedBytesPerSecond);

  const makeSpace = ({ direction, merchantId, token, address }: TransferInput): boolean => {
    const others = [...open].filter((other) => other.direction === direction);
    const shares: [number, readonly Transfer[]][] = [
      [limits.ofToken, others.filter((other) => other.token === token)],
      [limits.ofAddress, others.filter((other) => other.address === address)],
      [limits.ofMerchant, others.filter((other) => other.merchantId === merchantId)],
    ];
    for (const [limit, sharing] of shares) if (sharing.length >= limit && !makeSpaceIn(sharing)) return false;
    const left = others.filter((other) => open.has(other));
    return left.length < limits.max || endSlowest(left, recentChecks, Number.POSITIVE_INFINITY);
  };

  return (reply, input) => {
    if (isGone(reply)) throw new AppError('BAD_REQUEST', 'The connection was closed before the transfer began');
    if (!makeSpace(input)) throw overloaded(reply, 'Too many files are being transferred');
    const { raw: request } = reply.request;
    const { socket } = request;
    const leave = (): void => {
      clearInterval(timer);
      open.delete(transfer);
    };
    const transfer: Transfer = {
      ...input,
      bytes: [bytesOf(socket, input)],
      end() {
        leave();
        socket.destroy();
      },
    };
    const timer = setInterval(() => {
      // The sender of a file has no say in what is left to do once it was received.
      const isReceived = input.direction === 'upload' && request.complete;
      transfer.bytes = isReceived ? [] : [...transfer.bytes, bytesOf(socket, input)].slice(-1 - checksPerDeadline);
      const progress = progressOf(transfer, checksPerDeadline);
      if (progress !== null && progress < atRate(limits.bytesPerSecond, checksPerDeadline)) transfer.end();
    }, limits.checkEveryMs);
    timer.unref();
    open.add(transfer);
    reply.raw.once('close', leave);
  };
};

const bytesOf = (socket: Socket, { direction }: TransferInput): number =>
  direction === 'upload' ? socket.bytesRead : socket.bytesWritten;
