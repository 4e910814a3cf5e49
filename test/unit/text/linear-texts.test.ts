import { visitedUrl } from '../../../src/api/pipeline/visited-url.ts';
import { deviceName } from '../../../src/console/pages/sign-in/device-name.ts';
import { escapeMarkdown } from '../../../src/contracts/workflows/text.ts';
import { codesOfName } from '../../../src/domains/affiliates/code.rules.ts';
import { keyTypeOf } from '../../../src/domains/auth/api-key-format.rules.ts';
import { readMetadata } from '../../../src/domains/conversions/record/own-metadata.rules.ts';
import { saleEventSchema } from '../../../src/domains/conversions/record/sale-events.wire.ts';
import { STRIPE_OBJECT_SCHEMAS } from '../../../src/domains/conversions/stripe/stripe-event.rules.ts';
import { journalQuery } from '../../../src/domains/ledger/books.wire.ts';
import { oneLine, plain } from '../../../src/domains/notifications/mail-content.rules.ts';
import { maskDestination } from '../../../src/domains/payouts/create/destination.rules.ts';
import { slugOf } from '../../../src/domains/programs/slug.rules.ts';
import { renderText } from '../../../src/domains/resources/render-text.rules.ts';
import { findCode, repairQuery } from '../../../src/domains/tracking/index.ts';
import { listEventsQuery } from '../../../src/domains/webhooks/events/events.wire.ts';
import { csvLine } from '../../../src/platform/csv/csv-line.ts';
import { canonicalEmail, domainOfEmail, normalizeEmail, parseEmail } from '../../../src/platform/email.ts';
import { isBrowser } from '../../../src/platform/http/browser.ts';
import {
  emailAddress,
  instant,
  line,
  paragraph,
  queryAddress,
  queryDecimal,
  referralCode,
  uuid,
} from '../../../src/platform/http/schemas.ts';
import { hasShortHost } from '../../../src/platform/http/web-page.ts';
import { siteUrl } from '../../../src/platform/http/web-urls.ts';
import { maskValues } from '../../../src/platform/outbound/mask-values.ts';
import { keptHeaders } from '../../../src/platform/outbound/response-limits.ts';
import { foldText, searchPatternOf } from '../../../src/platform/search-text.ts';
import { visibleLine, withoutInvisible } from '../../../src/platform/visible-line.ts';

/** Each is repeated: what patterns repeat, begin and end with. */
const PUMPS = [
  ...[' ', '\t', '\n', '"', '.', '-', '+', '@', ';', ',', '(', '/', '\\', '=', '0', 'a', '\u0301', '\u200b', '\ud83d', '😀'],
  ...[
    'a.',
    'a@',
    '+a',
    '\t=',
    '; ',
    '1.',
    'a\u0301',
    'Version/',
    '{{ ',
    '=?',
    '://',
    ' \n',
    '"a,',
    '%41',
    '&amp;',
    'gzip ',
    '-a',
  ],
];

const sale = (more: object, customer: object) => ({
  type: 'sale.completed',
  data: { saleId: 's', amount: 1, currency: 'usd', occurredAt: '2026-01-01T00:00:00Z', customer, ...more },
});
const stripeObject = (text: string) => ({
  ...{ id: 'cs_1', mode: 'payment', payment_status: 'paid', created: 1, amount_total: 1, currency: 'usd', customer_email: text },
  ...{ customer_details: { email: text }, client_reference_id: text, metadata: { [text]: text, agentref_cid: text } },
  ...{ parent: null, discounts: [{ coupon: text }], amount_due: 1, amount_paid: 1, total: 1, billing_reason: text, code: text },
});

/** What texts of others come to, by name. */
const READERS: Record<string, (text: string) => unknown> = {
  canonicalEmail,
  normalizeEmail,
  domainOfEmail,
  parseEmail,
  visibleLine,
  withoutInvisible,
  oneLine,
  plain,
  escapeMarkdown,
  deviceName,
  isBrowser,
  hasShortHost,
  csvLine: (text) => csvLine([text, `x${text}`]),
  slugOf: (text) => slugOf(text, '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e51'),
  maskDestination: (text) =>
    maskDestination({ method: 'paypal', paypalEmail: text, bankIban: null, bankBic: null, bankAccountHolder: null }),
  keptHeaders: (text) => keptHeaders({ location: text, via: text }),
  maskValues: (text) => maskValues({ headers: { via: text }, excerpt: Buffer.from(text) }, ['whsec_0123456789abcdef']),
  foldText,
  searchPatternOf,
  keyTypeOf,
  renderText: (text) => renderText(`{{${text}`, { affiliate_link: '', affiliate_code: '', program_name: '' }),
  findCode,
  repairQuery: (text) => repairQuery(text, ['via', 'utm_source']),
  visitedUrl: (text) => [visitedUrl(`/r/${text}?${text}`), visitedUrl(`/join/${text}`)],
  codesOfName,
  readMetadata: (text) => readMetadata({ [text]: text, name: text }),
  'a sale event': (text) =>
    saleEventSchema.safeParse(
      sale({ clickToken: text, couponCode: text, referralCode: text, metadata: { a: text } }, { id: text, email: text }),
    ),
  'an event of Stripe': (text) => STRIPE_OBJECT_SCHEMAS.map((schema) => schema.safeParse(stripeObject(text))),
  'schemas of fields': (text) =>
    [emailAddress, instant, line(100), paragraph(1_000), queryAddress(254), queryDecimal(9, 2), referralCode, siteUrl, uuid].map(
      (schema) => schema.safeParse(text),
    ),
  'queries with days and types': (text) => [
    journalQuery.safeParse({ from: text, to: text }),
    listEventsQuery.safeParse({ types: text, since: text }),
  ],
};

const SHORT = 2_000;
const TIMES = 10;
const LIMIT = 12;

const cpuOf = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(user + system, 1);
};

/**
 * How many times the CPU time a text takes that is ten times as long: 10 where the work grows with the length, 100 with its square. Patterns
 * take no steps that could be counted. So CPU time is compared, which other processes do not change as they do the time on the clock, and the
 * lowest of some tries counts where a first one is over the limit. Both sides read the same number of characters, in many short texts or in few long ones.
 */
const growthOf = (read: (text: string) => unknown, pump: string): number => {
  const short = pump.repeat(SHORT / pump.length);
  const long = short.repeat(TIMES);
  const repeated = (text: string, times: number) => () => {
    for (let at = 0; at < times; at++) read(text);
  };
  let [few, many] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES; tries++) {
    few = Math.min(few, cpuOf(repeated(long, 3)));
    // Too little to be compared, and far less than the square of the length would take.
    if (few < MINIMUM_US) return TIMES;
    many = Math.min(many, cpuOf(repeated(short, 3 * TIMES)));
    if ((few / many) * TIMES <= LIMIT) break;
  }
  return (few / many) * TIMES;
};

/** Garbage collection falls into some of them. */
const TRIES = 10;

/** Time for three texts of 20,000 characters. */
const MINIMUM_US = 10_000;

test.each(Object.keys(READERS))('NS1: the work of %s grows with the length of a text, not with its square', (name) => {
  const read = READERS[name] ?? (() => undefined);
  const wrong = PUMPS.flatMap((pump) => ['', 'a', '!', '\n'].map((end) => ({ pump, end })))
    .map(({ pump, end }) => ({ text: `${JSON.stringify(pump)} … ${end}`, growth: growthOf((text) => read(text + end), pump) }))
    .filter(({ growth }) => growth > LIMIT);
  expect(wrong).toEqual([]);
});

test('NS1: a pattern that starts again at each character is found out', () => {
  const quadratic = (text: string) => text.replace(/(?<=.)\+.*$/, '');
  expect(growthOf((text) => quadratic(`${text}\n`), '+')).toBeGreaterThan(2 * LIMIT);
});
