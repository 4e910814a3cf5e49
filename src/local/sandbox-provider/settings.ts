import { z } from 'zod';
import { StartupError } from '../../platform/startup-error.ts';

const ms = (fallback: number) => z.coerce.number().int().min(0).default(fallback);

const schema = z.object({
  ENVIRONMENT: z.string().optional(),
  LOG_LEVEL: z.string().default('info'),
  SANDBOX_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  SANDBOX_API_KEY: z.string().min(16),
  SANDBOX_NOTIFICATION_SECRET: z.string().startsWith('whsec_'),
  /** Receives notifications; none are sent without it. */
  SANDBOX_NOTIFICATION_URL: z.url().optional(),
  /** Journal file; without it, transfers are lost on restart. */
  SANDBOX_STORE: z.string().min(1).optional(),
  SANDBOX_SETTLE_MS: ms(300),
  SANDBOX_RETURN_MS: ms(1_500),
  SANDBOX_RETURN_SLOW_MS: ms(15_000),
  SANDBOX_SLOW_MS: ms(10_000),
  /** Pauses between the attempts of one notification, so there is one attempt more than there are pauses. */
  SANDBOX_NOTIFICATION_WAITS_MS: z
    .string()
    .default('200,1000,5000,30000,60000,120000,300000,600000,900000,1800000,3600000')
    .transform((text) => text.split(',').map(Number))
    .pipe(z.array(z.number().int().min(0)).max(11)),
  SANDBOX_NOTIFICATION_DEADLINE_MS: ms(5_000),
  /** A key that is used again after this time is executed again, as with real providers. */
  SANDBOX_REPEAT_WINDOW_MS: ms(24 * 60 * 60 * 1_000),
});

export type SandboxSettings = z.infer<typeof schema>;

/** Throws an error that names every invalid setting and shows no value. */
export const readSandboxSettings = (env: Readonly<Record<string, string | undefined>>): SandboxSettings => {
  const read = schema.safeParse(env);
  if (!read.success) {
    const problems = read.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new StartupError(`The sandbox provider cannot start:\n${problems.join('\n')}`);
  }
  if (read.data.ENVIRONMENT === 'production') {
    throw new StartupError('The sandbox provider moves no money and does not start with ENVIRONMENT=production');
  }
  return read.data;
};
