import { LocalStackError } from '../stack/local-stack-error.ts';
import type { Environment } from '../stack/programs.ts';
import { findSecrets, type Secrets } from './data-folder.ts';
import { findStackFile, type StackFile, stackFileIn } from './stack-file.ts';

export type { Environment } from '../stack/programs.ts';
export type Addresses = Pick<
  StackFile,
  'origin' | 'databaseUrl' | 'redisUrl' | 'temporalAddress' | 'temporalUiUrl' | 'sandboxUrl' | 'mailboxDir' | 'filesDir'
>;

/** The environment that all processes of `npm start` share; these settings override those of `env`. */
export const systemSettings = (env: Environment, at: Addresses, secrets: Secrets): Record<string, string | undefined> => ({
  ...env,
  ENVIRONMENT: 'development',
  DATABASE_URL: at.databaseUrl,
  // For migrations only: no process may act as the owner of the tables.
  MIGRATION_DATABASE_URL: undefined,
  REDIS_URL: at.redisUrl,
  TEMPORAL_ADDRESS: at.temporalAddress,
  TEMPORAL_UI_URL: at.temporalUiUrl ?? env['TEMPORAL_UI_URL'],
  PUBLIC_URL: at.origin,
  ENCRYPTION_KEYS: env['ENCRYPTION_KEYS'] || secrets.encryptionKeys,
  BILLING_SELF_SERVICE: 'true',
  // A day of trying out must not end at the revenue of a lower tier.
  DEFAULT_TIER: env['DEFAULT_TIER'] || 'pro',
  RAIL_PAYPAL: 'sandbox',
  RAIL_BANK_TRANSFER: 'manual',
  SANDBOX_URL: at.sandboxUrl,
  SANDBOX_API_KEY: secrets.sandboxApiKey,
  SANDBOX_NOTIFICATION_SECRET: secrets.sandboxNotificationSecret,
  WEBHOOK_ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1:*',
  // Unless the environment names a mail server.
  MAILBOX_DIR: at.mailboxDir,
  FILES_DIR: at.filesDir,
  COMMISSION_RELEASE_INTERVAL_SECONDS: '5',
});

/** The settings of the system whose data is in this folder. Throws when `npm start` never ran there. */
export const installedSettings = async (env: Environment, folder: string): Promise<Environment> => {
  const [stack, secrets] = await Promise.all([findStackFile(folder), findSecrets(folder)]);
  if (stack && secrets) return systemSettings(env, stack, secrets);
  throw new LocalStackError(
    `DATABASE_URL is not set and ${stackFileIn(folder)} does not exist: run npm start first, or set DATABASE_URL, REDIS_URL and ENCRYPTION_KEYS`,
  );
};
