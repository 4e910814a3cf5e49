import { type Context, merchantOf } from '../../platform/context.ts';
import { allOf, firstRow, rows, sql } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { type EndpointSettingsView, toEndpointSettings } from './endpoint-settings.wire.ts';
import { decryptRequestHeaders } from './request-headers.ts';
import { type EndpointView, type StoredEndpoint, toEndpoint } from './webhooks.wire.ts';

const endpointColumns = sql<StoredEndpoint & { merchantId: string }>`
  id, merchant_id as "merchantId", program_id as "programId", name, url, status, schema_version as "schemaVersion",
  subscribed_events as "subscribedEvents", secret_last_four as "secretLastFour", created_at as "createdAt",
  updated_at as "updatedAt", disabled_at as "disabledAt"`;

/** All endpoints of the merchant, newest first. Not paged: there are at most `MAX_ENDPOINTS_PER_MERCHANT`. */
export const listWebhookEndpoints = async (ctx: Context, filter: { programId?: string | undefined }): Promise<EndpointView[]> => {
  const where = allOf([
    sql`merchant_id = ${merchantOf(ctx)}::uuid and deleted_at is null`,
    filter.programId === undefined ? undefined : sql`program_id = ${filter.programId}::uuid`,
  ]);
  const found = await rows(
    ctx.em,
    sql<StoredEndpoint>`select ${endpointColumns} from webhook_endpoint where ${where} order by created_at desc, id desc`,
  );
  return found.map(toEndpoint);
};

/** Throws NOT_FOUND for a missing or deleted endpoint and FORBIDDEN for another merchant's. */
export const getWebhookEndpoint = async (ctx: Context, id: string): Promise<EndpointView> => {
  const row = await firstRow(
    ctx.em,
    sql<
      StoredEndpoint & { merchantId: string }
    >`select ${endpointColumns} from webhook_endpoint where id = ${id}::uuid and deleted_at is null`,
  );
  if (!row) throw notFound('Webhook endpoint');
  if (row.merchantId !== merchantOf(ctx)) throw forbidden();
  return toEndpoint(row);
};

/** Endpoints of the merchant that are not deleted. */
export const countEndpoints = async (ctx: Context, merchantId: string): Promise<number> => {
  const counted = await firstRow(
    ctx.em,
    sql<{ count: number }>`select count(*)::int as count from webhook_endpoint
      where merchant_id = ${merchantId}::uuid and deleted_at is null`,
  );
  return counted?.count ?? 0;
};

/** Throws NOT_FOUND for a missing program and FORBIDDEN for another merchant's. */
export const assertOwnProgram = async (ctx: Context, programId: string): Promise<void> => {
  const program = await firstRow(
    ctx.em,
    sql<{ merchantId: string }>`select merchant_id as "merchantId" from program where id = ${programId}::uuid`,
  );
  if (!program) throw notFound('Program');
  if (program.merchantId !== merchantOf(ctx)) throw forbidden();
};

interface SettingsRow {
  id: string;
  merchantId: string;
  headerCiphertext: string | null;
  maxInFlight: number;
  ratePerSecond: number | null;
  rotationOverlapHours: number;
}

/** Throws like `getWebhookEndpoint`. */
export const getWebhookEndpointSettings = async (ctx: Context, id: string): Promise<EndpointSettingsView> => {
  const row = await firstRow(
    ctx.em,
    sql<SettingsRow>`select id, merchant_id as "merchantId", header_ciphertext as "headerCiphertext",
      max_in_flight as "maxInFlight", rate_per_second as "ratePerSecond",
      rotation_overlap_hours as "rotationOverlapHours"
      from webhook_endpoint where id = ${id}::uuid and deleted_at is null`,
  );
  if (!row) throw notFound('Webhook endpoint');
  if (row.merchantId !== merchantOf(ctx)) throw forbidden();
  return toEndpointSettings(row, decryptRequestHeaders(ctx, id, row.headerCiphertext));
};
