import { DAY_MS } from '../clock.ts';

const SECONDS = /^\d{1,15}$/;
/** The three date formats of RFC 9110, section 5.6.7. The last one has no zone and means GMT. */
const WITH_ZONE = /^(?:[A-Z][a-z]{2}|[A-Z][a-z]{5,8}), \d{2}[ -][A-Z][a-z]{2}[ -]\d{2,4} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

const readOne = (text: string, now: Date): number => {
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const date = WITH_ZONE.test(text) ? text : ASCTIME.test(text) ? `${text} GMT` : null;
  const wait = date === null ? Number.NaN : Date.parse(date) - now.getTime();
  return Number.isNaN(wait) ? 0 : wait;
};

/** The requested wait in milliseconds, at most a day. Malformed values and past dates are 0; the longest of several applies. */
export const readRetryAfter = (values: readonly string[], now: Date): number =>
  Math.min(DAY_MS, Math.max(0, ...values.map((value) => readOne(value.trim(), now))));
