import type { FastifyReply } from 'fastify';
import { isDropped, overloaded } from './load-shedding.ts';

/** Files that this process receives or sends at the same time: in all, and of one address. */
const MAX_TRANSFERS = 64;
const MAX_OF_ADDRESS = 8;

/** Counts a transfer until its connection is done with it; throws 429 `OVERLOADED` over a limit. */
export type EnterTransfer = (address: string, reply: FastifyReply) => void;

/** Transfers take minutes: they have limits of their own, so that they shut out no other request. */
export const limitTransfers = (): EnterTransfer => {
  const byAddress = new Map<string, number>();
  let open = 0;
  return (address, reply) => {
    if (isDropped(reply)) return;
    const own = byAddress.get(address) ?? 0;
    if (open >= MAX_TRANSFERS || own >= MAX_OF_ADDRESS) throw overloaded(reply, 'Too many files are being transferred');
    open++;
    byAddress.set(address, own + 1);
    reply.raw.once('close', () => {
      open--;
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left > 0) byAddress.set(address, left);
      else byAddress.delete(address);
    });
  };
};
