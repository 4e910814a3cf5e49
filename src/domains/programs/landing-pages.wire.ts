import { z } from 'zod';
import { MAX_LANDING_PAGES } from '../../contracts/limits.ts';
import { line } from '../../platform/http/schemas.ts';
import { isLandingPath } from './landing-path.ts';

export const landingPages = z
  .array(
    z.strictObject({
      path: z
        .string()
        .max(500)
        .refine(isLandingPath, 'must be a path of the website, for example /pricing, without dot segments and fragments')
        .meta({ override: { pattern: '^/([^/\\\\#\\s][^\\\\#\\s]*)?$' } })
        .describe('Path on the website, with its query if it has one, for example `/pricing`'),
      label: line(100).describe('Name of the page, shown to affiliates'),
    }),
  )
  .max(MAX_LANDING_PAGES)
  .refine((pages) => new Set(pages.map(({ path }) => path)).size === pages.length, 'must not contain the same path twice')
  .describe('Pages of the website that affiliates may link to, at most 50. Default: none');
