import { isIPv4 } from 'node:net';
import { z } from 'zod';
import { PAID_TIERS, type PaidTier } from './contracts/billing.ts';
import { ENVIRONMENTS } from './contracts/events.ts';
import { SIGN_UPS } from './contracts/people.ts';
import { BILLING_TIERS, type BillingTier } from './contracts/programs.ts';
import { DEFAULT_RAIL, RAIL_NAMES } from './contracts/rails.ts';
import { LANE_SLOTS } from './contracts/webhooks.ts';
import { DEFAULT_NAMESPACES } from './contracts/workflows/descriptor.ts';
import { WORKER_ROLES } from './contracts/workflows/queues.ts';
import { assertRailsUsable, railConfigSchema } from './domains/payouts/index.ts';
import { SECONDS_PER_DAY } from './platform/clock.ts';
import { issueMessage } from './platform/issue-message.ts';
import { parseAddress } from './platform/mail/message.ts';
import { StartupError } from './platform/startup-error.ts';
import { VERSION } from './version.ts';

const port = z.coerce.number().int().min(0).max(65_535);
const count = (fallback: number) => z.coerce.number().int().min(1).default(fallback);
const unlessEmpty = <S extends z.ZodType>(schema: S) => z.preprocess((text) => (text === '' ? undefined : text), schema);
const optionalText = unlessEmpty(z.string().optional());
const optionalHttpUrl = unlessEmpty(z.url({ protocol: /^https?$/ }).optional());
const list = z.preprocess((text) => String(text ?? '').match(/[^,]+/g) ?? [], z.array(z.string()));
const rail = z.enum(RAIL_NAMES).default(DEFAULT_RAIL);
const railList = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(z.array(z.enum(RAIL_NAMES)));

const readKeys = (text: string, issue: { addIssue(message: string): void }) => {
  const keys = text.split(',').map((part) => {
    const [id = '', key = ''] = part.split(':');
    const bytes = Buffer.from(key, 'base64');
    if (!/^[a-z0-9]{1,16}$/.test(id) || bytes.length !== 32) {
      issue.addIssue('must be id:base64 pairs of 32-byte keys, newest first, separated by commas');
    }
    return { id, key: bytes };
  });
  // A stored value names its key by the id, so with two keys of one id it could not be read again.
  if (new Set(keys.map(({ id }) => id)).size < keys.length) issue.addIssue('must not contain the same key id twice');
  return keys;
};

const cipherKeys = z.string().transform(readKeys);

/** Stands in for the newest payload key. */
const NO_KEY = 'none,';

const payloadKeys = z.string().transform((text, issue) => {
  const isOff = text.startsWith(NO_KEY);
  const keys = readKeys(isOff ? text.slice(NO_KEY.length) : text, issue);
  return { keys, current: isOff ? null : (keys[0] ?? null) };
});

const billingPrices = z.string().transform((text, issue) => {
  const prices = Object.fromEntries(text.split(',').map((part) => part.split(':').map((side) => side.trim())));
  const read = z.strictObject(Object.fromEntries(PAID_TIERS.map((tier) => [tier, z.string().min(1)]))).safeParse(prices);
  if (!read.success) issue.addIssue(`must be tier:price pairs of ${PAID_TIERS.join(', ')}, separated by commas`);
  return prices as Readonly<Record<PaidTier, string>>;
});

/** Every setting of every process. No behavior depends on the name of a mode. */
const schema = z.object({
  ENVIRONMENT: z.enum(ENVIRONMENTS).default('production'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  DATABASE_URL: z.string().min(1),
  DATABASE_POOL: count(20),
  DATABASE_STATEMENT_TIMEOUT_MS: count(1_500),
  DATABASE_CONNECT_TIMEOUT_MS: count(1_500),
  REDIS_URL: z.string().min(1),
  TEMPORAL_ADDRESS: z.string().min(1).default('127.0.0.1:7233'),
  /** Namespace for payouts and decisions, which finance watches. */
  TEMPORAL_NAMESPACE: z.string().min(1).default(DEFAULT_NAMESPACES.finance),
  /** Namespace for everything else, which operators watch. It may be the same one. */
  TEMPORAL_BACKGROUND_NAMESPACE: z.string().min(1).default(DEFAULT_NAMESPACES.background),
  /** Prefix of task queue names, so that several installations can share a namespace. */
  TEMPORAL_QUEUE_PREFIX: z.string().max(50).default(''),
  /** Whether workers have a version. Without a current one (`admin temporal-version`), nothing runs. */
  TEMPORAL_VERSIONING: unlessEmpty(z.stringbool().default(false)),
  TEMPORAL_BUILD_ID: unlessEmpty(
    z
      .string()
      .regex(/^[\w.-]{1,100}$/, 'must be 1 to 100 letters, digits, dots, hyphens or underscores')
      .default(VERSION),
  ),
  TEMPORAL_API_KEY: optionalText,
  TEMPORAL_API_KEY_FILE: optionalText,
  TEMPORAL_TLS: unlessEmpty(z.stringbool().default(false)),
  TEMPORAL_TLS_CERT: optionalText,
  TEMPORAL_TLS_KEY: optionalText,
  TEMPORAL_TLS_CA: optionalText,
  TEMPORAL_TLS_SERVER_NAME: optionalText,
  /** If unset, payloads are not encrypted. */
  TEMPORAL_PAYLOAD_KEYS: unlessEmpty(payloadKeys.optional()),
  /** Token of the codec server. If unset, a proxy decides who reaches it. */
  CODEC_SERVER_TOKEN: optionalText,
  TEMPORAL_UI_URL: z.url().optional(),
  API_HOST: z.string().default('127.0.0.1'),
  API_PORT: port.default(3000),
  API_INSTANCES: count(1),
  TRUST_PROXY: z.coerce.number().int().min(0).max(10).default(0),
  PUBLIC_URL: z.url().default('http://127.0.0.1:3000'),
  /** Sent by the proxy when it asks for which names it may obtain certificates. If unset, every such request is refused. */
  TLS_ASK_TOKEN: optionalText,
  ENCRYPTION_KEYS: cipherKeys,
  WORKER_ROLES: z
    .string()
    .default('relay,payouts,reviews,webhooks')
    .transform((text) => text.split(',').map((role) => role.trim()))
    .pipe(z.array(z.enum(WORKER_ROLES)).min(1)),
  WORKER_HEALTH_HOST: z.string().min(1).default('127.0.0.1'),
  WORKER_HEALTH_PORT: port.default(3001),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  /** If unset, see `metricsAddress`. */
  METRICS_PORT: unlessEmpty(port.optional()),
  WORKFLOW_BUNDLE: z.string().optional(),
  WORKER_MAX_ACTIVITIES: count(20),
  WORKER_MAX_RAIL_CALLS: count(100),
  WORKER_CACHED_WORKFLOWS: count(300),
  RAIL_PAYPAL: rail,
  RAIL_BANK_TRANSFER: rail,
  /** Rails that merchants may choose instead. If unset, they may choose any. */
  RAILS_OFFERED: unlessEmpty(railList.optional()),
  ...railConfigSchema.shape,
  /** If unset, programs cannot connect through OAuth. */
  STRIPE_SECRET_KEY: optionalText,
  STRIPE_CONNECT_CLIENT_ID: optionalText,
  STRIPE_CONNECT_WEBHOOK_SECRET: optionalText,
  /** Verifies events about merchants' subscriptions to this server. If unset, tiers change without payments. */
  STRIPE_BILLING_WEBHOOK_SECRET: optionalText,
  STRIPE_BILLING_PRICES: unlessEmpty(billingPrices.optional()),
  STRIPE_API_URL: optionalHttpUrl,
  PAYPAL_API_URL: optionalHttpUrl,
  /** Merchants choose their tier themselves while nobody collects payments. */
  BILLING_SELF_SERVICE: z.stringbool().default(false),
  /** Tier of new merchants. If unset, the highest one, unless merchants pay for tiers. */
  DEFAULT_TIER: unlessEmpty(z.enum(BILLING_TIERS).optional()),
  /** Whether companies open accounts themselves. */
  SIGNUP: z.enum(SIGN_UPS).default('closed'),
  /** If workers with the role webhooks differ, the one that started last decides. */
  WEBHOOK_LANES: z.coerce.number().int().min(1).max(LANE_SLOTS).default(8),
  WEBHOOK_ALLOWED_PRIVATE_ADDRESSES: list,
  WEBHOOK_DENIED_ADDRESSES: list,
  /** Name servers to ask for the records of program domains, as `192.0.2.1:53`. If unset, those of the machine. */
  DNS_SERVERS: list,
  /** If unset, mails are written to `MAILBOX_DIR`. */
  SMTP_URL: unlessEmpty(z.url({ protocol: /^smtps?$/ }).optional()),
  MAIL_FROM: z
    .string()
    .default('Tributary <tributary@localhost>')
    .refine((text) => parseAddress(text) !== null, 'must be an address, or a name and an address: Name <name@example.com>'),
  MAILBOX_DIR: z.string().min(1).default('.data/mailbox'),
  /** Mails that can be unsubscribed from, and invites. */
  MAIL_PER_DAY: count(10_000),
  MAIL_PER_DAY_PER_MERCHANT: count(1_000),
  /** Mails about joining, signing up and invites of people. */
  JOIN_MAIL_PER_DAY: count(5_000),
  JOIN_MAIL_PER_DAY_PER_MERCHANT: count(500),
  /** Left out: people carry bank files. */
  BANK_OUTBOX_DIR: optionalText,
  BANK_INBOX_DIR: optionalText,
  /** Where files are kept without `S3_BUCKET`. */
  FILES_DIR: z.string().min(1).default('.data/files'),
  /** If unset, files are kept in `FILES_DIR`. */
  S3_BUCKET: optionalText,
  S3_REGION: z.string().min(1).default('us-east-1'),
  /** If unset, AWS. */
  S3_ENDPOINT: optionalHttpUrl,
  /** If unset, the credentials of the machine are used. */
  S3_ACCESS_KEY_ID: optionalText,
  S3_SECRET_ACCESS_KEY: optionalText,
  COMMISSION_RELEASE_INTERVAL_SECONDS: count(900),
  /** If unset, no traces are recorded. */
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalHttpUrl,
  FAULT_POINTS: z.string().default(''),
  /** Less in simulations only, see `timeScale`. */
  SECONDS_PER_DAY: z.coerce.number().int().min(1).max(SECONDS_PER_DAY).default(SECONDS_PER_DAY),
});

export type Config = z.infer<typeof schema>;

const METRICS_PORTS = { api: 9464, worker: 9465 } as const;

/** Where a process serves its metrics. The default ports differ, so that an API and a worker can share a machine. */
export const metricsAddress = (config: Config, process: keyof typeof METRICS_PORTS): { host: string; port: number } => ({
  host: config.METRICS_HOST,
  port: config.METRICS_PORT ?? METRICS_PORTS[process],
});

export const temporalAccess = (config: Config) => ({
  address: config.TEMPORAL_ADDRESS,
  namespaces: { finance: config.TEMPORAL_NAMESPACE, background: config.TEMPORAL_BACKGROUND_NAMESPACE },
  apiKey: config.TEMPORAL_API_KEY,
  apiKeyFile: config.TEMPORAL_API_KEY_FILE,
  tls: config.TEMPORAL_TLS,
  certFile: config.TEMPORAL_TLS_CERT,
  keyFile: config.TEMPORAL_TLS_KEY,
  caFile: config.TEMPORAL_TLS_CA,
  serverName: config.TEMPORAL_TLS_SERVER_NAME,
  payloadKeys: config.TEMPORAL_PAYLOAD_KEYS,
});

export const SETTINGS = Object.keys(schema.shape);

/** With shorter days, commissions would be paid out before their hold is over. */
const assertTimeScaleUsable = (config: Config): void => {
  if (config.SECONDS_PER_DAY === SECONDS_PER_DAY) return;
  if (config.ENVIRONMENT === 'production')
    throw new StartupError('SECONDS_PER_DAY is for simulations: with ENVIRONMENT=production, a day has 86400 seconds');
  if (!isLoopback(new URL(config.PUBLIC_URL).hostname))
    throw new StartupError(
      'SECONDS_PER_DAY is for simulations on one machine: PUBLIC_URL must be a loopback address, such as http://127.0.0.1:3000',
    );
};

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));

/** Reads the environment. Throws one error that lists all problems, without values. */
export const loadConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const read = schema.safeParse(env, { error: issueMessage('setting') });
  if (!read.success) {
    const problems = read.error.issues.map((issue) => `  ${issue.path.join('.')} ${issue.message}`);
    throw new StartupError(`Invalid configuration:\n${problems.join('\n')}`);
  }
  if (read.data.STRIPE_API_URL !== undefined && read.data.ENVIRONMENT === 'production')
    throw new StartupError('STRIPE_API_URL is for tests: with ENVIRONMENT=production, codes and keys go to Stripe only');
  if (read.data.PAYPAL_API_URL !== undefined && read.data.ENVIRONMENT === 'production')
    throw new StartupError('PAYPAL_API_URL is for tests: with ENVIRONMENT=production, orders and secrets go to PayPal only');
  assertBillingComplete(read.data);
  if (read.data.SMTP_URL !== undefined && !env['MAIL_FROM'])
    throw new StartupError('SMTP_URL needs MAIL_FROM: the sender of all mails, at a domain that may send through this server');
  assertTimeScaleUsable(read.data);
  assertTemporalAccess(read.data);
  if ((read.data.S3_ACCESS_KEY_ID === undefined) !== (read.data.S3_SECRET_ACCESS_KEY === undefined))
    throw new StartupError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY belong together: set both or none');
  assertRailsUsable({ paypal: read.data.RAIL_PAYPAL, bank_transfer: read.data.RAIL_BANK_TRANSFER }, read.data);
  return read.data;
};

const assertTemporalAccess = (config: Config): void => {
  if (config.TEMPORAL_VERSIONING && /[.:]|^__/.test(config.TEMPORAL_QUEUE_PREFIX))
    throw new StartupError(
      'TEMPORAL_VERSIONING: TEMPORAL_QUEUE_PREFIX names the deployment of the workers, and must contain no dot or colon',
    );
  if ((config.TEMPORAL_TLS_CERT === undefined) !== (config.TEMPORAL_TLS_KEY === undefined))
    throw new StartupError('TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY belong together: set both or none');
  if (config.TEMPORAL_API_KEY !== undefined && config.TEMPORAL_API_KEY_FILE !== undefined)
    throw new StartupError('TEMPORAL_API_KEY and TEMPORAL_API_KEY_FILE are two keys: set one of them');
};

/** Tier of new merchants: a limit must stop nobody who cannot pay to lift it. */
export const defaultTierOf = ({ DEFAULT_TIER: tier, STRIPE_BILLING_PRICES: prices }: Config): BillingTier =>
  tier ?? (prices === undefined ? 'pro' : 'free');

/** Half of it would let merchants subscribe without ever hearing of their payments. */
const assertBillingComplete = (config: Config): void => {
  const { STRIPE_SECRET_KEY: key, STRIPE_BILLING_WEBHOOK_SECRET: secret, STRIPE_BILLING_PRICES: prices } = config;
  if (secret === undefined && prices === undefined) return;
  if (key === undefined || secret === undefined || prices === undefined)
    throw new StartupError('STRIPE_BILLING_WEBHOOK_SECRET and STRIPE_BILLING_PRICES need each other and STRIPE_SECRET_KEY');
};
