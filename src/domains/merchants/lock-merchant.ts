import { LockMode } from '@mikro-orm/core';
import type { Context } from '../../platform/context.ts';
import { notFound } from '../../platform/errors.ts';
import { Merchant } from './merchant.entity.ts';

/** Locked until the transaction ends. NOT_FOUND when it does not exist. */
export const lockMerchant = async (ctx: Context, id: string): Promise<Merchant> => {
  const merchant = await ctx.em.findOne(Merchant, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!merchant) throw notFound('Merchant');
  return merchant;
};
