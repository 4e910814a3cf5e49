import type { BankFileAction, BankFileStatus } from '../../contracts/bank-files.ts';
import type { Context } from '../../platform/context.ts';
import { reasonOf } from '../../platform/errors.ts';
import type { AvailableAction } from '../../platform/http/available-actions.ts';
import { assertSecondActor } from '../auth/index.ts';
import { findApprovalThreshold } from '../merchants/index.ts';
import { mayPay } from '../payouts/index.ts';
import type { DiscardAsks } from './bank-files.wire.ts';

interface HandedOut {
  merchantId: string;
  createdBy: string;
  createdAt: string | Date;
  downloads: number;
  downloadedBy: string[];
  handedOverAt?: string | null;
}

/** Somebody who got the file could still upload it: then a second actor decides where approvals are on, else whoever types its name. */
export const whatDiscardAsks = async (ctx: Context, { merchantId, downloads, handedOverAt }: HandedOut): Promise<DiscardAsks> => {
  if (downloads === 0 && (handedOverAt ?? null) === null) return 'note';
  const isApproved = Object.keys(await findApprovalThreshold(ctx, merchantId)).length > 0;
  return isApproved ? 'second_actor' : 'name';
};

/** Throws SAME_ACTOR for whoever made or downloaded the file. */
export const assertSecondToDiscard = (ctx: Context, { createdBy, createdAt, downloadedBy }: HandedOut): Promise<void> =>
  assertSecondActor(ctx, { createdBy, madeAt: new Date(createdAt), others: downloadedBy });

type Deciding = HandedOut & { status: BankFileStatus; acceptedAt?: string | null; hasContent: boolean };

const downloadRefusal = ({ status, hasContent }: Deciding): string | null => {
  if (status === 'discarding' || status === 'discarded') return 'BANK_FILE_DISCARDED';
  return status === 'making' || !hasContent ? 'BANK_FILE_NOT_READY' : null;
};

const discardRefusal = async (ctx: Context, file: Deciding): Promise<string | null> => {
  if (file.status === 'making') return 'BANK_FILE_NOT_READY';
  if (file.status === 'discarded') return 'BANK_FILE_DISCARDED';
  if (file.status === 'discarding') return null;
  if ((file.acceptedAt ?? null) !== null) return 'RAIL_ACCEPTED';
  if ((await whatDiscardAsks(ctx, file)) !== 'second_actor') return null;
  return reasonOf(() => assertSecondToDiscard(ctx, file));
};

/** What the caller may do with a file now, and why not the rest. */
export const findFileActions = async (ctx: Context, file: Deciding): Promise<AvailableAction[]> => {
  const isAllowed = mayPay(ctx.actor);
  const actions: (AvailableAction & { action: BankFileAction })[] = [
    { action: 'download', refusedBecause: isAllowed ? downloadRefusal(file) : 'INSUFFICIENT_SCOPE' },
    { action: 'discard', refusedBecause: isAllowed ? await discardRefusal(ctx, file) : 'INSUFFICIENT_SCOPE' },
  ];
  return actions;
};
