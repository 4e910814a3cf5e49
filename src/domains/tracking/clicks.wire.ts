import { z } from 'zod';
import { CLICK_REASONS, CLICK_STATUSES } from '../../contracts/tracking.ts';
import { invariant } from '../../platform/errors.ts';
import { storedUuid, uuid } from '../../platform/http/schemas.ts';
import { hasShortHost } from '../../platform/http/web-page.ts';
import { clickTokenOf } from './click-token.ts';
import type { StoredClick } from './store-click.ts';

const MAX_URL_LENGTH = 4_096;

export const clickBody = z.strictObject({
  programId: uuid,
  pageUrl: z
    .string()
    .max(MAX_URL_LENGTH)
    .refine(hasShortHost, { message: 'must be an http or https URL', abort: true })
    .pipe(z.url({ protocol: /^https?$/ }))
    .meta({ format: 'uri', maxLength: MAX_URL_LENGTH }),
  referralCode: z.string().trim().min(1).max(100),
  referrer: z.string().max(MAX_URL_LENGTH).nullable().optional(),
  consentGranted: z.boolean().optional(),
  visitorId: z
    .string()
    .regex(/^v_[A-Za-z0-9_-]{8,64}$/, 'must be v_ and 8 to 64 characters from A-Z, a-z, 0-9, _ and -')
    .optional(),
});

export const clickSchema = z
  .object({
    status: z.enum(CLICK_STATUSES),
    reason: z.enum(CLICK_REASONS).nullable(),
    affiliateCode: z.string().nullable(),
    programId: storedUuid,
    clickToken: z.string().nullable(),
    cookieDuration: z.int().meta({ description: 'Days' }),
  })
  .meta({ id: 'Click' });

export type ClickView = z.infer<typeof clickSchema>;

export const codeParams = z.strictObject({ code: z.string() });

/** What was stored about a known program. */
export const toClick = ({ outcome, clickId, programId, affiliateCode, cookieDuration }: StoredClick): ClickView => {
  invariant(programId !== null && cookieDuration !== null, 'a click has a program');
  invariant(outcome !== 'NOT_FOUND' && outcome !== 'FOREIGN_PAGE', 'a click without an effect is reported as an error');
  if (outcome === 'ok' && clickId !== null) {
    return { status: 'ok', reason: null, affiliateCode, programId, clickToken: clickTokenOf(clickId), cookieDuration };
  }
  const reason = outcome === 'ok' ? null : outcome;
  return { status: 'ignored', reason, affiliateCode: null, programId, clickToken: null, cookieDuration };
};
