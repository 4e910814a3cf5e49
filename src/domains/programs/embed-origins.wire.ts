import { z } from 'zod';
import { MAX_EMBED_ORIGINS } from '../../contracts/limits.ts';

export const embedOriginsSchema = z
  .array(z.string())
  .describe(
    'Origins of your apps that may show the page of `POST /embed-tokens` in a frame, at most 10, such as `https://app.acme.example`; `http://localhost` with any port only where `ENVIRONMENT` is not `production`. Default: none',
  );

/** Without wildcards: each app that may show what an affiliate earns is named. */
const ORIGIN =
  /^(https:\/\/([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})|https?:\/\/(localhost|127\.0\.0\.1))(:[1-9]\d{0,4})?$/;

export const embedOrigins = z
  .array(
    z
      .string()
      .max(270)
      .regex(ORIGIN, { error: 'must be an origin with https, such as https://app.acme.example, without a path', abort: true })
      .refine((text) => URL.canParse(text), 'must be an origin with an existing port'),
  )
  .max(MAX_EMBED_ORIGINS)
  .refine((origins) => new Set(origins).size === origins.length, 'must not contain the same origin twice');
