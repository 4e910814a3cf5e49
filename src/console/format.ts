import { LRUCache } from 'lru-cache';
import { decimalsOf, toMajorUnits } from '../contracts/currencies.ts';
import { type Html, html } from './html.ts';

/** How a person reads numbers and times. */
export interface Format {
  /** `amountMinor` in minor units, `currency` in any case. */
  money(amountMinor: number, currency: string): string;
  number(value: number): string;
  /** 12.5 is "12.5%". */
  percent(value: number): string;
  /** A day in the person's time zone; the exact UTC time is shown on hover. */
  date(iso: string): Html;
  /** Day and time with the time zone, as `date`. */
  time(iso: string): Html;
  /** As `date`, in the time zone of the company: days of banks, and what has its place in a month. */
  companyDate(iso: string): Html;
  /** The same as text. */
  companyDay(iso: string): string;
  /** A day that has no time, such as 2026-01-31. */
  day(date: string): string;
  /** A month, such as 2026-01. */
  month(month: string): string;
  /** 12.50 or 12,50: how a person writes a decimal. */
  decimalSeparator: string;
}

const validLocale = (locale: string): string => {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en';
  } catch {
    return 'en';
  }
};

const validZone = (zone: string): string => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
};

/** "2026-01-15 09:40:00 UTC". */
const utcOf = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const timeTag = (iso: string, text: string): Html => html`<time datetime="${iso}" title="${utcOf(iso)}">${text}</time>`;

/** Such as "UTC" or "GMT+1". */
const zoneNames = (locale: string, timeZone: string): ((at: Date) => string) => {
  if (timeZone === 'UTC') return () => 'UTC';
  const names = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' });
  return (at) => names.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;
};

interface Zones {
  timeZone: string;
  companyZone: string;
}

const create = (locale: string, { timeZone, companyZone }: Zones): Format => {
  const currencies = new Map<string, Intl.NumberFormat>();
  const numbers = new Intl.NumberFormat(locale);
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone });
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const companyDates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: companyZone });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const months = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });

  const zoneOf = zoneNames(locale, timeZone);

  const currencyOf = (code: string): Intl.NumberFormat => {
    const digits = decimalsOf(code);
    const made = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: code,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    currencies.set(code, made);
    return made;
  };

  return {
    money(amountMinor, currency) {
      const code = currency.toLowerCase();
      return (currencies.get(code) ?? currencyOf(code)).format(toMajorUnits(amountMinor, code));
    },
    number: (value) => numbers.format(value),
    percent: (value) => percents.format(value / 100),
    date: (iso) => timeTag(iso, dates.format(new Date(iso))),
    time(iso) {
      const at = new Date(iso);
      return timeTag(iso, `${times.format(at)} ${zoneOf(at)}`);
    },
    companyDate: (iso) => timeTag(iso, companyDates.format(new Date(iso))),
    companyDay: (iso) => companyDates.format(new Date(iso)),
    day: (date) => days.format(new Date(`${date}T00:00:00Z`)),
    month: (month) => months.format(new Date(`${month}-01T00:00:00Z`)),
    decimalSeparator: numbers.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.',
  };
};

/** Making the formatters of `Intl` takes a thousand times as long as using them. */
const made = new LRUCache<string, Format>({ max: 200 });

/** English and UTC in place of what this program does not know. `companyZone`: that of the reader where no company is known. */
export const formatOf = (locale: string, timeZone: string, companyZone = timeZone): Format => {
  const name = `${locale} ${timeZone} ${companyZone}`;
  const found = made.get(name);
  if (found) return found;
  const format = create(validLocale(locale), { timeZone: validZone(timeZone), companyZone: validZone(companyZone) });
  made.set(name, format);
  return format;
};
