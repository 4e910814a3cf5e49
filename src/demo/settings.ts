import type { Environment } from '../local-stack/programs.ts';
import type { Secrets } from './secrets-file.ts';
import type { StackFile } from './stack-file.ts';

export type Addresses = Pick<StackFile, 'origin' | 'databaseUrl' | 'redisUrl' | 'temporalAddress' | 'sandboxUrl'>;

/** The environment that all processes of the system on this machine share; what `env` says of these settings is overruled. */
export const systemSettings = (env: Environment, at: Addresses, secrets: Secrets): Record<string, string | undefined> => ({
  ...env,
  ENVIRONMENT: 'development',
  DATABASE_URL: at.databaseUrl,
  REDIS_URL: at.redisUrl,
  TEMPORAL_ADDRESS: at.temporalAddress,
  PUBLIC_URL: at.origin,
  ENCRYPTION_KEYS: env['ENCRYPTION_KEYS'] || secrets.encryptionKeys,
  RAIL_PAYPAL: 'sandbox',
  RAIL_BANK_TRANSFER: 'manual',
  SANDBOX_URL: at.sandboxUrl,
  SANDBOX_API_KEY: secrets.sandboxApiKey,
  SANDBOX_NOTIFICATION_SECRET: secrets.sandboxNotificationSecret,
  WEBHOOK_ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1:*',
  COMMISSION_RELEASE_INTERVAL_SECONDS: '5',
});
