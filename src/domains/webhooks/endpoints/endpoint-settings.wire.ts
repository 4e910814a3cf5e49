import { z } from 'zod';
import { EVERY_EXTENDED, EXTENDED_EVENT_TYPES } from '../../../contracts/events.ts';
import {
  MAX_IN_FLIGHT_PER_ENDPOINT,
  MAX_RATE_PER_SECOND,
  MAX_REQUEST_HEADER_CHARS,
  MAX_REQUEST_HEADERS,
  MAX_ROTATION_OVERLAP_HOURS,
} from '../../../contracts/limits.ts';
import { mapOf } from '../../../platform/http/map-of.ts';
import { createEndpointBody, endpointHealthSchema } from '../webhooks.wire.ts';
import { isReservedHeader, type RequestHeaderChanges, type RequestHeaders } from './request-headers.steps.ts';

/** Shown in place of each value. */
const MASK = '****';

/** Per request: all existing headers removed, and as many added. */
const MAX_NAMED = 2 * MAX_REQUEST_HEADERS;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Printable ASCII, with spaces inside only. */
const VALUE = /^([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?$/;

const maxInFlight = z
  .int()
  .min(1)
  .max(MAX_IN_FLIGHT_PER_ENDPOINT)
  .describe(
    'Maximum number of first attempts in flight at a time, 1 to 32. New and failing endpoints get fewer. Retries and resends are scheduled separately and do not count. Default: 32',
  );
const ratePerSecond = z
  .int()
  .min(1)
  .max(MAX_RATE_PER_SECOND)
  .nullable()
  .describe(
    'Maximum number of first attempts per second, 1 to 1,000; null for no limit. Deliveries above the limit wait and use none of their attempts. Attempts not used in the last 200 milliseconds can be made up. Retries and resends are scheduled separately and do not count. Default: null',
  );
const rotationOverlapHours = z
  .int()
  .min(0)
  .max(MAX_ROTATION_OVERLAP_HOURS)
  .describe(
    'Hours for which a replaced signing secret keeps signing, from the next rotation on: 0 (none) to 168 (a week). Default: 24',
  );

const extendedEvents = z
  .array(z.enum([...EXTENDED_EVENT_TYPES, EVERY_EXTENDED]).meta({ id: 'ExtendedWebhookEventType' }))
  .max(100)
  .refine((types) => types.length === 1 || !types.includes(EVERY_EXTENDED), `must be ${EVERY_EXTENDED} alone, or names`)
  .describe(
    'Extended event types to deliver, beside `subscribedEvents`; `["*"]` for all of them, with those that are added later. Default: none',
  );

export const endpointSettingsSchema = z
  .object({
    endpointId: endpointHealthSchema.shape.endpointId,
    headers: z
      .record(z.string(), z.literal(MASK))
      .describe(
        'Headers that are added to each delivery, by name in lower case. Values are stored encrypted and never shown: `****` stands for each',
      ),
    maxInFlight,
    ratePerSecond,
    rotationOverlapHours,
    extendedEvents,
  })
  .meta({ id: 'WebhookEndpointSettings' });

export type EndpointSettingsView = z.infer<typeof endpointSettingsSchema>;

const headerValue = z
  .string()
  .max(MAX_REQUEST_HEADER_CHARS)
  .regex(VALUE, 'must be printable ASCII without leading or trailing spaces')
  .refine((value) => value !== MASK, `must be the actual value; ${MASK} only stands for one in responses`);

const problemOf = (name: string, earlier: readonly string[]): string | null => {
  if (!NAME.test(name)) return 'must be a header name of 1 to 64 letters, digits, - and _ that starts with a letter';
  if (isReservedHeader(name)) return 'is reserved and cannot be set';
  return earlier.some((other) => other.toLowerCase() === name.toLowerCase())
    ? 'appears more than once; header names are case-insensitive'
    : null;
};

/** Names are checked one by one, each with its own message. */
const headerName = z.string().max(MAX_REQUEST_HEADER_CHARS);

const headerRecord = z.record(headerName, headerValue.nullable()).superRefine((given, { addIssue }) => {
  const names = Object.keys(given);
  for (const [i, name] of names.entries()) {
    const message = problemOf(name, names.slice(0, i));
    if (message !== null) addIssue({ code: 'custom', path: [name], message });
  }
});
const headerChanges = mapOf(headerRecord, {
  max: MAX_NAMED,
  problem: `must name at most ${MAX_NAMED} headers`,
  documented: {
    propertyNames: { type: 'string', maxLength: MAX_REQUEST_HEADER_CHARS },
    additionalProperties: {
      anyOf: [{ type: 'string', maxLength: MAX_REQUEST_HEADER_CHARS, pattern: VALUE.source }, { type: 'null' }],
    },
  },
}) satisfies z.ZodType<RequestHeaderChanges>;

const headers = headerChanges
  .nullable()
  .describe(
    'Headers to add to each delivery, for example `Authorization`, by name in any case: letters, digits, `-` and `_`. A value is printable ASCII, at most 2,048 characters; null or an empty value removes the header. Null in place of the object removes all. Headers that Tributary sets or that control the connection are rejected, such as `Host`, `User-Agent`, `Accept`, `Content-*`, `Webhook-*`, `Svix-*`, `Proxy-*` and `X-Forwarded-*`',
  );

export const updateEndpointBody = createEndpointBody.partial().extend({
  headers: headerChanges
    .optional()
    .describe(
      'Headers to add to each delivery, as in the settings. A URL of another scheme, host or port drops the stored ones, and replaced signing secrets stop signing: give all of them again to keep both',
    ),
});

export const updateEndpointSettingsBody = z
  .strictObject({ headers, maxInFlight, ratePerSecond, rotationOverlapHours, extendedEvents })
  .partial();

type StoredSettings = Pick<EndpointSettingsView, 'maxInFlight' | 'rotationOverlapHours' | 'extendedEvents'> & {
  id: string;
  ratePerSecond?: number | null;
};

export const toEndpointSettings = ({ id, ...settings }: StoredSettings, headers: RequestHeaders): EndpointSettingsView => ({
  endpointId: id,
  headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])),
  maxInFlight: settings.maxInFlight,
  ratePerSecond: settings.ratePerSecond ?? null,
  rotationOverlapHours: settings.rotationOverlapHours,
  extendedEvents: settings.extendedEvents,
});
