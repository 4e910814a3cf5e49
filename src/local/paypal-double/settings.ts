import { z } from 'zod';
import { StartupError } from '../../platform/startup-error.ts';

const ms = (fallback: number) => z.coerce.number().int().min(0).default(fallback);

const schema = z.object({
  ENVIRONMENT: z.string().optional(),
  LOG_LEVEL: z.string().default('info'),
  PAYPAL_DOUBLE_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** Journal file; without it, everything is lost on restart. */
  PAYPAL_DOUBLE_STORE: z.string().min(1).optional(),
  /** From an order to its result. */
  PAYPAL_DOUBLE_SETTLE_MS: ms(2_000),
  /** From a payment, or one that nobody claims, to its return. */
  PAYPAL_DOUBLE_RETURN_MS: ms(10_000),
  /** Each notice waits up to this long, so they arrive out of order. */
  PAYPAL_DOUBLE_NOTICE_LAG_MS: ms(0),
  PAYPAL_DOUBLE_NOTICES_TWICE: z.stringbool().default(false),
  /** Pauses between the attempts of one notice. */
  PAYPAL_DOUBLE_NOTICE_WAITS_MS: z
    .string()
    .default('1000,5000,30000,60000,300000,600000,1800000,3600000')
    .transform((text) => text.split(',').map(Number))
    .pipe(z.array(z.number().int().min(0)).max(25)),
  /** How late Transaction Search is. Three hours at most with PayPal. */
  PAYPAL_DOUBLE_REPORT_LAG_MS: ms(0),
  /** New batches in a minute and account: more are refused. */
  PAYPAL_DOUBLE_PER_MINUTE: z.coerce.number().int().min(1).default(400),
});

export type PayPalDoubleSettings = z.infer<typeof schema>;

/** Throws an error that names every invalid setting and shows no value. */
export const readPayPalDoubleSettings = (env: Readonly<Record<string, string | undefined>>): PayPalDoubleSettings => {
  const read = schema.safeParse(env);
  if (!read.success) {
    const problems = read.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new StartupError(`The double of PayPal cannot start:\n${problems.join('\n')}`);
  }
  if (read.data.ENVIRONMENT === 'production') {
    throw new StartupError('The double of PayPal moves no money and does not start with ENVIRONMENT=production');
  }
  return read.data;
};
