import type { Context } from '../platform/context.ts';
import type { EncryptedColumn } from '../platform/crypto/reencrypt.ts';
import type { Redis } from '../platform/redis/redis.ts';
import type { FileStorage } from '../platform/storage/file-storage.ts';
import type { TemporalClient } from '../temporal/client.ts';
import { type Check, type CheckResult, ok, runChecks, warn } from './doctor/check.ts';
import { databaseChecks } from './doctor/database-checks.ts';
import { temporalChecks } from './doctor/temporal-checks.ts';

export type { CheckResult } from './doctor/check.ts';

export interface Installation {
  /** Null when the database cannot be used; its checks are then skipped. */
  ctx: Context | null;
  encryptedColumns: readonly EncryptedColumn[];
  redis: Redis;
  temporal: TemporalClient;
  /** Holds the files of marketing resources. */
  storage: FileStorage;
  settings: {
    environment: string;
    publicUrl: string;
    queuePrefix: string;
    isVersioned: boolean;
    hasMailServer: boolean;
    trustProxy: number;
  };
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Invalid settings never get here: they are reported when the environment is read. */
const checkConfiguration = ({ environment, publicUrl, hasMailServer, trustProxy }: Installation['settings']): CheckResult => {
  const name = 'configuration';
  if (environment === 'production' && LOOPBACK.test(new URL(publicUrl).hostname))
    return { name, ...warn(`PUBLIC_URL is ${publicUrl}: set it to the address that others use`) };
  // The API speaks no TLS by itself.
  if (publicUrl.startsWith('https:') && trustProxy === 0)
    return { name, ...warn('PUBLIC_URL is https, so there is a proxy, and TRUST_PROXY is 0: all callers share its address') };
  if (environment === 'production' && !hasMailServer)
    return { name, ...warn('SMTP_URL is not set: mails are written to MAILBOX_DIR and reach nobody') };
  return { name, ...ok(`ENVIRONMENT=${environment}, PUBLIC_URL=${publicUrl}`) };
};

const redisCheck = (redis: Redis): Check => ({
  name: 'redis',
  advice: 'Check REDIS_URL and that Redis runs; until then each process enforces its share of the rate limits',
  async run() {
    if (redis.status !== 'ready') throw new Error('not connected');
    const startedMs = performance.now();
    await redis.ping();
    return ok(`${Math.round(performance.now() - startedMs)} ms`);
  },
});

/** Another machine may have another folder: this is that of the machine on which the check runs. */
const storageCheck = (storage: FileStorage): Check => ({
  name: 'storage',
  advice: 'Check FILES_DIR, or the S3_ settings and that the key may put and delete objects; until then no file can be uploaded',
  run: async () => ok(await storage.check()),
});

/** Checks a whole installation from outside; leaves nothing changed. */
export const runDoctor = async (installation: Installation): Promise<CheckResult[]> => {
  const { ctx, encryptedColumns, redis, temporal, storage, settings } = installation;
  const groups = await Promise.all([
    runChecks(ctx ? databaseChecks(ctx, encryptedColumns) : []),
    runChecks([redisCheck(redis)]),
    runChecks([storageCheck(storage)]),
    runChecks(temporalChecks(temporal, { ...settings, ctx })),
  ]);
  return [checkConfiguration(settings), ...groups.flat()];
};
