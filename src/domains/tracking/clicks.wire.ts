import { isIP } from 'node:net';
import { z } from 'zod';
import { CLICK_REASONS, CLICK_STATUSES } from '../../contracts/tracking.ts';
import { invariant } from '../../platform/errors.ts';
import { programId } from '../../platform/http/fields.ts';
import { optionalMember } from '../../platform/http/lenient.ts';
import { stringOrNull, uuid } from '../../platform/http/schemas.ts';
import { hasShortHost } from '../../platform/http/web-page.ts';
import { clickTokenOf } from './click-token.rules.ts';
import type { StoredClick } from './store-click.steps.ts';

const MAX_URL_LENGTH = 4_096;
/** Node accepts no longer one. */
const MAX_HEAD_LENGTH = 16_384;

export const clickBody = z.strictObject({
  programId: uuid.describe('Program whose website reports the click'),
  pageUrl: z
    .string()
    .max(MAX_URL_LENGTH)
    .refine(hasShortHost, { message: 'must be an http or https URL', abort: true })
    .pipe(z.url({ protocol: /^https?$/ }))
    .meta({ format: 'uri', maxLength: MAX_URL_LENGTH })
    .describe('Address of the page that the visitor landed on. Its UTM parameters, `sub1` to `sub5` and ad-click ids are kept'),
  referralCode: z
    .string()
    .trim()
    .min(1)
    .max(MAX_URL_LENGTH)
    .describe('Code of the affiliate or of one of its links, as in `via`. What a mail program wrote after it does no harm'),
  referrer: z
    .string()
    .max(MAX_URL_LENGTH)
    .nullable()
    .optional()
    .describe('Page that the visitor came from; null or empty if unknown. Default: null'),
  consentGranted: z
    .boolean()
    .optional()
    .describe('Whether the visitor agreed to tracking. Needed where the program requires consent. Default: false'),
  visitorId: z
    .string()
    .regex(/^v_[A-Za-z0-9_-]{8,64}$/, 'must be v_ and 8 to 64 characters from A-Z, a-z, 0-9, _ and -')
    .optional()
    .describe(
      'Random id of the visitor, which the script keeps in a cookie. Left out: address and browser stand for the visitor',
    ),
  visitorIp: optionalMember(
    z
      .string()
      .max(45)
      .refine((text) => isIP(text) !== 0, 'must be an IPv4 or IPv6 address'),
  ).describe("Address of the visitor, in a call that is signed. Left out: your server's, which may then stand for many visitors"),
  userAgent: optionalMember(z.string().max(1_000)).describe(
    '`User-Agent` of the visitor, in a call that is signed. Left out: the header of the call',
  ),
});

export type ClickBody = z.output<typeof clickBody>;

/** What a server says of the visitor counts only when it is signed. */
export const visitorOf = ({ visitorIp: address, userAgent }: ClickBody) => ({
  ...(address === undefined ? {} : { address }),
  ...(userAgent === undefined ? {} : { userAgent }),
});

/** A browser sends them by itself. */
export const clickHeaders = z.object({
  Origin: z
    .string()
    .optional()
    .describe('Origin of the website that the visitor is on. Left out: the page of `Referer`')
    .meta({ examples: ['https://acme.example'] }),
  'User-Agent': z
    .string()
    .optional()
    .describe("The visitor's browser, not your server: clicks of HTTP libraries are ignored. Left out: the click is ignored")
    .meta({ examples: ['Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0.0.0'] }),
  'webhook-id': z
    .string()
    .optional()
    .describe('Of a server that signs the call with the event secret of the program, as sale events are signed: id of the call'),
  'webhook-timestamp': z
    .string()
    .optional()
    .describe('Time of a signed call in Unix seconds, at most 5 minutes from the time of the server'),
  'webhook-signature': z
    .string()
    .optional()
    .describe('Signature of a signed call: `v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`'),
});

export const clickSchema = z
  .object({
    status: z.enum(CLICK_STATUSES).describe('`ok`: the click counts. `ignored`: it does not, for the reason given'),
    reason: z
      .enum(CLICK_REASONS)
      .nullable()
      .describe(
        'Why the click was ignored: `UNKNOWN_CODE` is no code of this program, `PROGRAM_INACTIVE` is a paused or archived program, `BOT` a crawler, link preview, HTTP library or prefetch; null for `ok`',
      ),
    affiliateCode: stringOrNull.describe('Code of the affiliate; null for an ignored click'),
    programId,
    clickToken: stringOrNull.describe('Token of the click, to be sent with the sale; null for an ignored click'),
    cookieDuration: z.int().describe('Days in which a sale is credited'),
  })
  .meta({ id: 'Click' });

export type ClickView = z.infer<typeof clickSchema>;

export const codeParams = z.strictObject({
  code: z
    .string()
    .max(MAX_HEAD_LENGTH)
    .describe('Code of the affiliate or of one of its links. What a mail program or a chat wrote after it does no harm'),
});

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
