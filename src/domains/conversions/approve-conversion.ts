import type { Context } from '../../platform/context.ts';
import { postTransfer } from '../ledger/index.ts';
import type { Conversion } from './conversion.entity.ts';

/** Makes a pending commission payable. The caller must hold the affiliate's balance lock and check that it is due. */
export const approveConversion = async (ctx: Context, conversion: Conversion): Promise<void> => {
  conversion.approve(ctx.clock.now());
  await postTransfer(ctx, {
    kind: 'approval',
    from: 'pending',
    to: 'payable',
    amount: conversion.commission,
    currency: conversion.currency,
    merchantId: conversion.merchantId,
    programId: conversion.programId,
    affiliateId: conversion.affiliateId,
    referenceId: conversion.id,
  });
};
