import { z } from 'zod';
import { isRailStatus, toSafeCode } from './answer.ts';
import type { ListedMovement } from './rail.ts';
import { transferSchema } from './sandbox-response.ts';

const listed = transferSchema.extend({
  executedCount: z.int().min(0).max(100),
  receiver: z.string().max(300).nullable(),
  createdAt: z.iso.datetime(),
});

const listSchema = z.object({ transfers: z.array(listed).max(500), next: z.string().max(100).nullish() });

const statusOf = (status: string): ListedMovement['status'] => {
  if (!isRailStatus(status)) return 'unknown';
  return status === 'accepted' ? 'pending' : status;
};

/** A key that was executed several times is as many payments. */
const movementsOf = (transfer: z.infer<typeof listed>): ListedMovement[] => {
  const { id, idempotencyKey, reference, status, amount: amountMinor, currency, fee, receiver, executedCount } = transfer;
  const movement: ListedMovement = {
    ...{
      id,
      kind: 'payment' as const,
      idempotencyKey,
      reference,
      references: { transaction: id },
      amountMinor,
      currency,
      receiver,
    },
    ...{ status: statusOf(status), state: toSafeCode(status), occurredAt: new Date(transfer.createdAt) },
    fee: fee === undefined ? null : { amountMinor: fee - (transfer.feeReturned ?? 0), currency },
  };
  const again = Array.from({ length: Math.max(executedCount - 1, 0) }, (_, n) => ({
    ...movement,
    id: `${id}-${n + 2}`,
    fee: null,
  }));
  return [movement, ...again];
};

/** A page of the provider's list. Throws when it is none. */
export const readTransferList = (
  httpStatus: number | null,
  body: unknown,
): { movements: ListedMovement[]; next: string | null } => {
  const read = listSchema.safeParse(body);
  if (httpStatus !== 200 || !read.success) throw new Error('The list of transfers cannot be read');
  return { movements: read.data.transfers.flatMap(movementsOf), next: read.data.next ?? null };
};
