import { type Context, merchantOf } from '../../../platform/context.ts';
import { compileOnce, type Given } from '../../../platform/database/compiled.ts';
import { firstRow, rows } from '../../../platform/database/sql.ts';
import { readOwned } from '../../../platform/ownership.ts';
import { db } from '../../tables.ts';
import { type EndpointView, toEndpoint } from '../webhooks.wire.ts';
import { type EndpointSettingsView, toEndpointSettings } from './endpoint-settings.wire.ts';
import { decryptRequestHeaders } from './request-headers.steps.ts';

const ENDPOINT = [
  ...(['id', 'merchantId', 'programId', 'name', 'url', 'status', 'schemaVersion', 'subscribedEvents'] as const),
  ...(['secretLastFour', 'createdAt', 'updatedAt', 'disabledAt'] as const),
] as const;

const SETTINGS = [
  ...(['id', 'merchantId', 'headerCiphertext', 'maxInFlight', 'ratePerSecond', 'rotationOverlapHours'] as const),
  'extendedEvents',
] as const;

const existing = db.selectFrom('webhook_endpoint').where('deletedAt', 'is', null);

const endpointsOf = compileOnce(({ merchantId, programId }: Given<{ merchantId: string; programId: string | undefined }>) => {
  const query = existing.select(ENDPOINT).where('merchantId', '=', merchantId).orderBy('createdAt', 'desc').orderBy('id', 'desc');
  return programId === undefined ? query : query.where('programId', '=', programId);
});

/** All endpoints of the merchant, newest first. Not paged: there are at most `MAX_ENDPOINTS_PER_MERCHANT`. */
export const listWebhookEndpoints = async (ctx: Context, filter: { programId?: string | undefined }): Promise<EndpointView[]> => {
  const found = await rows(ctx.em, endpointsOf({ merchantId: merchantOf(ctx), programId: filter.programId }));
  return found.map(toEndpoint);
};

const endpointById = compileOnce(({ id }: Given<{ id: string }>) => existing.select(ENDPOINT).where('id', '=', id));

/** A deleted endpoint is not found. */
export const getWebhookEndpoint = async (ctx: Context, id: string): Promise<EndpointView> =>
  toEndpoint(readOwned(ctx, 'Webhook endpoint', await firstRow(ctx.em, endpointById({ id }))));

/** Endpoints of the merchant that are not deleted. */
export const countEndpoints = async (ctx: Context, merchantId: string): Promise<number> => {
  const counted = await firstRow(
    ctx.em,
    existing.select(({ fn }) => fn.countAll<number>().as('count')).where('merchantId', '=', merchantId),
  );
  return counted?.count ?? 0;
};

export const assertOwnProgram = async (ctx: Context, programId: string): Promise<void> => {
  const program = db.selectFrom('program').select('merchantId').where('id', '=', programId);
  readOwned(ctx, 'Program', await firstRow(ctx.em, program));
};

/** Throws like `getWebhookEndpoint`. */
export const getWebhookEndpointSettings = async (ctx: Context, id: string): Promise<EndpointSettingsView> => {
  const settings = existing.select(SETTINGS).where('id', '=', id);
  const row = readOwned(ctx, 'Webhook endpoint', await firstRow(ctx.em, settings));
  return toEndpointSettings(row, decryptRequestHeaders(ctx, id, row.headerCiphertext));
};
