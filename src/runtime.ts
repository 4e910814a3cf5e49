import { type Config, defaultTierOf } from './config.ts';
import { APPLICATION_TIMING } from './contracts/applications.ts';
import { PAYOUT_LIMITS } from './contracts/payouts.ts';
import type { PaymentsHoldCause } from './contracts/reconciliation.ts';
import { raiseTrust } from './domains/affiliates/index.ts';
import { UNFINISHED_APPLICATIONS } from './domains/applications/index.ts';
import { areFilesWaiting, finishAbandonedFiles, isInboxFilled } from './domains/bank-files/index.ts';
import { createStripeBilling, type StripeBilling } from './domains/billing/index.ts';
import { addUpConversions, hasDueConversions, settleCustomers } from './domains/conversions/index.ts';
import { applyDueApprovals } from './domains/due-approvals.ts';
import { ENTITIES } from './domains/entities.ts';
import { UNFINISHED_FLAGS, UNSCREENED_SHARDS } from './domains/flags/index.ts';
import { LISTENERS } from './domains/listeners.ts';
import { refreshMarketplace } from './domains/marketplace/index.ts';
import { findMailAllowance, UNFINISHED_MAILS } from './domains/notifications/index.ts';
import { draftScheduledRuns, noteTerminatedPayoutRun, UNFINISHED_RUNS } from './domains/payout-runs/index.ts';
import {
  createRails,
  findPaymentsHold,
  holdPayments,
  noteTerminatedRun,
  offeredBy,
  type Rails,
  UNFINISHED_PAYOUTS,
} from './domains/payouts/index.ts';
import { deleteExpiredSignIns } from './domains/people/index.ts';
import { checkPortalDomains, createStripeConnect, STRIPE_CALLBACK_PATH, type StripeConnect } from './domains/programs/index.ts';
import { tellOfHeldPayments } from './domains/reconciliation/index.ts';
import { removeDiscardedFiles, writeResourceMails } from './domains/resources/index.ts';
import { addUpClicks } from './domains/tracking/index.ts';
import { changeLaneCount, findLaneCount, unfinishedWebhooks } from './domains/webhooks/index.ts';
import { ENCRYPTED_COLUMNS } from './encrypted-columns.ts';
import { type Clock, systemClock, type TimeScale, timeScale } from './platform/clock.ts';
import type { Actor, Broadcast, Context, Origin, Settings, WorkflowRef } from './platform/context.ts';
import type { FieldCipher } from './platform/crypto/field-cipher.ts';
import { openCipher } from './platform/crypto/open-cipher.ts';
import { forkOf, type Orm, openOrm, poolUsageOf, RELAY_APPLICATION_NAME } from './platform/database/orm.ts';
import { retryAtStart } from './platform/database/retry-at-start.ts';
import { createTxtLookup } from './platform/dns/txt-records.ts';
import { type Ids, randomIds } from './platform/ids.ts';
import { createLogger, type Logger } from './platform/logger.ts';
import { createProcessMetrics, type ProcessMetrics } from './platform/metrics/process-metrics.ts';
import { readPolicy } from './platform/outbound/policy.ts';
import type { UnfinishedWorkSource } from './platform/outbox/unfinished-rows.ts';
import { openRedis, type Redis } from './platform/redis/redis.ts';
import type { FileStorage } from './platform/storage/file-storage.ts';
import { openStorage } from './platform/storage/open-storage.ts';

/** The resources that every process opens. */
export interface Runtime {
  config: Config;
  orm: Orm;
  redis: Redis;
  log: Logger;
  clock: Clock;
  ids: Ids;
  cipher: FieldCipher;
  settings: Settings;
  rails: Rails;
  /** Everything that needs an open workflow until it ends. */
  unfinished: readonly UnfinishedWorkSource[];
  /** Brings the numbers of clicks of affiliates up to date; returns of how many. One process at a time. */
  addUpClicks(ctx: Context): Promise<number>;
  /** Brings the sales of customers who were joined in line; returns of how many customers. */
  settleCustomers(ctx: Context): Promise<number>;
  /** Adds changes of conversions to their sums; returns how many. */
  addUpConversions(ctx: Context): Promise<number>;
  /** Brings figures of the marketplace up to date; returns of how many programs. */
  refreshMarketplace(ctx: Context): Promise<number>;
  /** Raises the trust of affiliates by their record; returns of how many. One process at a time. */
  raiseTrust(ctx: Context): Promise<number>;
  /** Drafts the payout runs of programs whose turn has come. */
  draftScheduledRuns(ctx: Context): Promise<number>;
  /** Goes on with bank files that a process left when it died; returns how many. */
  finishAbandonedFiles(ctx: Context): Promise<number>;
  /** Whether a bank file waits for the outbox, or a file of a bank in the inbox. */
  isBankFolderDue(ctx: Context): Promise<boolean>;
  /** Notes a run of the workflow of a payout or a payout run that was terminated in Temporal. */
  noteTerminatedRun(ctx: Context, run: WorkflowRef): Promise<void>;
  /** How many lanes send the first attempts of webhooks. */
  findLaneCount(ctx: Context): Promise<number>;
  changeLaneCount(ctx: Context, input: { lanes: number }): Promise<void>;
  /** Whether commissions are due for approval. */
  isReleaseDue(ctx: Context): Promise<boolean>;
  /** Looks again for the records of domains of programs; returns of how many. */
  checkPortalDomains(ctx: Context): Promise<number>;
  /** Removes files that are no longer used from the storage; returns how many. */
  removeDiscardedFiles(ctx: Context): Promise<number>;
  /** Deletes mailed links and codes that ended a day ago; returns how many. */
  deleteExpiredSignIns(ctx: Context): Promise<number>;
  /** Writes the mails about marketing resources that were requested; returns how many affiliates were written to. */
  writeResourceMails(ctx: Context): Promise<number>;
  /** Ends what waited too long or for somebody who is gone, lets pending changes take effect, replaces lost passkeys; returns how many. */
  applyDueApprovals(ctx: Context): Promise<number>;
  /** Holds all payments of a database that is not the one that was marked; returns false when they are held already. */
  holdPayments(ctx: Context, input: { cause: PaymentsHoldCause }): Promise<boolean>;
  arePaymentsHeld(ctx: Context): Promise<boolean>;
  /** Tells merchants that nothing is paid: a page of them; returns how many. */
  tellOfHeldPayments(ctx: Context): Promise<number>;
  metrics: ProcessMetrics;
  /** A new context for one request, one activity or one command. */
  context(actor: Actor, log?: Logger, origin?: Origin): Context;
  close(): Promise<void>;
}

/** Redis channel for messages between processes. */
export const channelOf = (channel: Broadcast['channel']): string => `tributary:${channel}`;

/** Names the processes that relay the outbox: unlike the other roles, the relay has no task queue whose pollers can be listed. */
const applicationNameOf = (process: string, { WORKER_ROLES }: Config): string =>
  process === 'worker' && WORKER_ROLES.includes('relay') ? RELAY_APPLICATION_NAME : `tributary-${process}`;

/** Null where programs cannot connect Stripe accounts. */
const stripeConnectOf = (config: Config): StripeConnect | null => {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_CONNECT_CLIENT_ID: clientId, STRIPE_API_URL: apiUrl } = config;
  if (secretKey === undefined || clientId === undefined) return null;
  return createStripeConnect({ secretKey, clientId, apiUrl, redirectUri: `${config.PUBLIC_URL}${STRIPE_CALLBACK_PATH}` });
};

/** Null where tiers are not paid by Stripe. */
const stripeBillingOf = (config: Config): StripeBilling | null => {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_BILLING_PRICES: prices, STRIPE_API_URL: apiUrl } = config;
  return secretKey === undefined || prices === undefined ? null : createStripeBilling({ secretKey, prices, apiUrl });
};

/** Where marketing resources are kept. */
export const storageOf = (config: Config): FileStorage =>
  openStorage({
    folder: config.FILES_DIR,
    bucket: config.S3_BUCKET,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
  });

const publicUrlOf = ({ PUBLIC_URL }: Config): string => PUBLIC_URL.replace(/\/$/, '');

const settingsOf = (config: Config, scaled: TimeScale, rails: Rails): Settings => ({
  stripeConnect: stripeConnectOf(config),
  stripeConnectWebhookSecret: config.STRIPE_CONNECT_WEBHOOK_SECRET ?? null,
  stripeBilling: stripeBillingOf(config),
  stripeBillingWebhookSecret: config.STRIPE_BILLING_WEBHOOK_SECRET ?? null,
  billingSelfService: config.BILLING_SELF_SERVICE,
  defaultTier: defaultTierOf(config),
  signUps: config.SIGNUP,
  environment: config.ENVIRONMENT,
  publicUrl: publicUrlOf(config),
  scaled,
  applicationTiming: scaled(APPLICATION_TIMING),
  payoutLimits: scaled(PAYOUT_LIMITS),
  payoutRails: { paypal: config.RAIL_PAYPAL, bank_transfer: config.RAIL_BANK_TRANSFER },
  isRailOffered: offeredBy(config, rails),
  rails,
  outbound: readPolicy({
    allowedPrivate: config.WEBHOOK_ALLOWED_PRIVATE_ADDRESSES,
    denied: config.WEBHOOK_DENIED_ADDRESSES,
    publicUrl: config.PUBLIC_URL,
  }),
  mailsPerDay: { ofInstallation: config.MAIL_PER_DAY, ofMerchant: config.MAIL_PER_DAY_PER_MERCHANT },
  joinMailsPerDay: { ofInstallation: config.JOIN_MAIL_PER_DAY, ofMerchant: config.JOIN_MAIL_PER_DAY_PER_MERCHANT },
  storage: storageOf(config),
  findTxtRecords: createTxtLookup(config.DNS_SERVERS),
});

const UNFINISHED: readonly UnfinishedWorkSource[] = [
  ...UNFINISHED_PAYOUTS,
  UNFINISHED_RUNS,
  UNFINISHED_APPLICATIONS,
  UNFINISHED_FLAGS,
  ...unfinishedWebhooks,
  UNSCREENED_SHARDS,
  UNFINISHED_MAILS,
];

const bankFolderDueOf =
  ({ BANK_OUTBOX_DIR: outbox, BANK_INBOX_DIR: inbox }: Config): Runtime['isBankFolderDue'] =>
  async (ctx) =>
    (outbox !== undefined && (await areFilesWaiting(ctx, { outbox }))) ||
    (inbox !== undefined && (await isInboxFilled(ctx, { inbox })));

/** What domains do beside the API. */
const STEPS = {
  addUpClicks,
  addUpConversions,
  settleCustomers,
  raiseTrust,
  draftScheduledRuns,
  finishAbandonedFiles,
  async noteTerminatedRun(ctx, run) {
    await noteTerminatedRun(ctx, run);
    await noteTerminatedPayoutRun(ctx, run);
  },
  findLaneCount,
  changeLaneCount,
  isReleaseDue: hasDueConversions,
  refreshMarketplace,
  checkPortalDomains,
  removeDiscardedFiles,
  deleteExpiredSignIns,
  writeResourceMails: (ctx) => writeResourceMails(ctx, findMailAllowance),
  applyDueApprovals,
  holdPayments,
  arePaymentsHeld: async (ctx) => (await findPaymentsHold(ctx)) !== null,
  tellOfHeldPayments,
} satisfies Partial<Runtime>;

export const openRuntime = async (config: Config, process: string, clock: Clock = systemClock): Promise<Runtime> => {
  const log = createLogger({ level: config.LOG_LEVEL, process });
  const orm = await openOrm(
    {
      url: config.DATABASE_URL,
      poolMax: config.DATABASE_POOL,
      statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: config.DATABASE_CONNECT_TIMEOUT_MS,
      applicationName: applicationNameOf(process, config),
    },
    Object.values(ENTITIES),
  );
  const cipher = await retryAtStart(() => openCipher(forkOf(orm), config.ENCRYPTION_KEYS, ENCRYPTED_COLUMNS)).catch(
    async (error: unknown) => {
      await orm.close(true);
      throw error;
    },
  );
  const redis = openRedis(config.REDIS_URL, log);
  const metrics = createProcessMetrics(() => poolUsageOf(orm));
  const rails = createRails(config, clock, {
    publicUrl: publicUrlOf(config),
    observe: ({ seconds, ...labels }) => metrics.railCalls.observe(labels, seconds),
  });
  const settings = settingsOf(config, timeScale(config.SECONDS_PER_DAY), rails);
  return {
    config,
    orm,
    redis,
    log,
    clock,
    ids: randomIds,
    cipher,
    settings,
    rails,
    unfinished: UNFINISHED,
    ...STEPS,
    isBankFolderDue: bankFolderDueOf(config),
    metrics,
    context: (actor, requestLog = log, origin) => ({
      // Created on first use: some requests never need it.
      get em() {
        const em = forkOf(orm);
        Object.defineProperty(this, 'em', { value: em, enumerable: true });
        return em;
      },
      actor,
      origin: origin ?? null,
      clock,
      ids: randomIds,
      log: requestLog,
      cipher,
      settings,
      ...LISTENERS,
      broadcasts: [],
      publish: async (broadcast) => {
        await redis.publish(channelOf(broadcast.channel), broadcast.text);
      },
    }),
    async close() {
      redis.disconnect();
      await rails.close();
      await orm.close(true);
    },
  };
};
