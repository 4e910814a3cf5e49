import type { Context } from '../../../platform/context.ts';
import { generateSigningSecret } from '../../../platform/crypto/standard-webhooks.ts';
import { execute, type RawBuilder, rows, sql } from '../../../platform/database/sql.ts';
import { db } from '../../tables.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.entity.ts';
import { secretCipherContext, WebhookSecret } from '../webhook-secret.entity.ts';

export interface StoredSecret {
  id: string;
  ciphertext: string;
}

/** The secrets of an endpoint that sign at that time, the current one first. A template, as the statement of lanes that it is a part of. */
export const liveSecretsOf = (endpointId: RawBuilder<unknown>, at: RawBuilder<unknown>): RawBuilder<StoredSecret> =>
  sql<StoredSecret>`select s.id, s.ciphertext from webhook_secret s
    where s.endpoint_id = ${endpointId} and (s.expires_at is null or s.expires_at > ${at})
    order by s.expires_at is null desc, s.created_at desc, s.id desc`;

export const readLiveSecrets = (ctx: Context, endpointId: string): Promise<StoredSecret[]> =>
  rows(ctx.em, liveSecretsOf(sql`${endpointId}`, sql`${ctx.clock.now().toISOString()}`));

export const deleteExpiredSecrets = async (ctx: Context, endpointId: string): Promise<void> => {
  const now = ctx.clock.now().toISOString();
  await execute(ctx.em, db.deleteFrom('webhook_secret').where('endpointId', '=', endpointId).where('expiresAt', '<=', now));
};

/** All but the current one. */
export const deleteReplacedSecrets = (ctx: Context, endpointId: string): Promise<number> =>
  execute(ctx.em, db.deleteFrom('webhook_secret').where('endpointId', '=', endpointId).where('expiresAt', 'is not', null));

/** Gives the endpoint a new current secret and returns its text, which is stored encrypted and never shown again. */
export const issueSecret = (ctx: Context, endpoint: WebhookEndpoint, at: Date): string => {
  const text = generateSigningSecret();
  const id = ctx.ids.next();
  ctx.em.create(WebhookSecret, {
    id,
    endpointId: endpoint.id,
    ciphertext: ctx.cipher.encrypt(text, secretCipherContext(id)),
    createdAt: at,
  });
  endpoint.setSecret(text, at);
  return text;
};
