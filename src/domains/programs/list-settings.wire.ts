import { z } from 'zod';
import { MAX_APPLICATION_FIELDS } from '../../contracts/joining.ts';
import { MAX_EMBED_ORIGINS, MAX_LANDING_PAGES } from '../../contracts/limits.ts';
import { HOST_NAME } from '../../platform/host-name.ts';
import { nameLine } from '../../platform/http/schemas.ts';
import { isLoopbackUrl } from '../../platform/http/web-urls.ts';
import { isLandingPath } from './landing-path.rules.ts';

export const landingPages = z
  .array(
    z.strictObject({
      path: z
        .string()
        .max(500)
        .refine(isLandingPath, 'must be a path of the website, for example /pricing, without dot segments and fragments')
        .meta({ override: { pattern: '^/([^/\\\\#\\s][^\\\\#\\s]*)?$' } })
        .describe('Path on the website, with its query if it has one, for example `/pricing`'),
      label: nameLine(100).describe('Name of the page, shown to affiliates'),
    }),
  )
  .max(MAX_LANDING_PAGES)
  .refine((pages) => new Set(pages.map(({ path }) => path)).size === pages.length, 'must not contain the same path twice')
  .describe('Pages of the website that affiliates may link to, at most 50. Default: none');

const label = 'What applicants are asked';
const isRequired = z.boolean().describe('Whether they have to answer');
const ALL = 'What people are asked on the page on which they join the program, at most 10 fields. Default: none';

export const applicationFieldsSchema = z.array(z.object({ label: z.string().describe(label), isRequired })).describe(ALL);

export const applicationFieldsBody = z
  .array(z.strictObject({ label: nameLine(100).describe(label), isRequired }))
  .max(MAX_APPLICATION_FIELDS)
  .refine((fields) => new Set(fields.map((field) => field.label)).size === fields.length, 'must not contain the same label twice')
  .describe(ALL);

export const embedOriginsSchema = z
  .array(z.string())
  .describe(
    'Origins of your apps that may show the page of `POST /embed-tokens` in a frame, at most 10, such as `https://app.acme.example`; `http://localhost` with any port only where `ENVIRONMENT` is not `production`. Default: none',
  );

const ORIGIN = /^https?:\/\/[^/?#\\@*\s]+$/i;

/** As browsers write it, in ASCII; null for any other text. Without wildcards: each app that may show what an affiliate earns is named. */
const originOf = (text: string): string | null => {
  const url = ORIGIN.test(text) ? URL.parse(text) : null;
  if (url === null) return null;
  const isAllowed = url.protocol === 'https:' && HOST_NAME.test(url.hostname);
  return isAllowed || isLoopbackUrl(url.origin) ? url.origin : null;
};

const origin = z
  .string()
  .trim()
  .max(270, { abort: true })
  .refine((text) => originOf(text) !== null, 'must be an origin with https, such as https://app.acme.example, without a path')
  .transform((text) => originOf(text) ?? text)
  .meta({ override: { type: 'string', maxLength: 270 } });

export const embedOrigins = z
  .array(origin)
  .max(MAX_EMBED_ORIGINS)
  .refine((origins) => new Set(origins).size === origins.length, 'must not contain the same origin twice');
