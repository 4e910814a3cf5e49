import { type Context, merchantOf } from '../../platform/context.ts';
import { firstRow, sql } from '../../platform/database/sql.ts';
import { forbidden, notFound } from '../../platform/errors.ts';
import { type EndpointSettingsView, toEndpointSettings } from './endpoint-settings.wire.ts';
import { decryptRequestHeaders } from './request-headers.ts';

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
