import { type Context, inTransaction } from '../../../platform/context.ts';
import { createUrl, type DownloadRequest, type DownloadUrl } from '../download-url.steps.ts';

export const createDownloadUrl = (ctx: Context, input: DownloadRequest): Promise<DownloadUrl> =>
  inTransaction(ctx, (ctx) => createUrl(ctx, 'merchant', input));

/** Covers what is published in a program that the caller has joined. */
export const createMyDownloadUrl = (ctx: Context, input: DownloadRequest): Promise<DownloadUrl> =>
  inTransaction(ctx, (ctx) => createUrl(ctx, 'affiliate', input));
