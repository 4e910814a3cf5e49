import { de } from './de.ts';
import { en } from './en.ts';

export type Texts = typeof en;

const CATALOGUES = { en, de } as const satisfies Record<string, Texts>;

export type Language = keyof typeof CATALOGUES;
export const LANGUAGES = Object.keys(CATALOGUES) as readonly Language[];

export const textsOf = (language: Language): Texts => CATALOGUES[language];

/** The language of a locale such as `de-AT`; null when it has no catalogue. */
const languageIn = (locale: string): Language | null =>
  LANGUAGES.find((language) => language === locale.trim().slice(0, 2).toLowerCase()) ?? null;

/** The language of a person's locale; English when there is no catalogue. */
export const languageOf = (locale: string): Language => languageIn(locale) ?? 'en';

const MAX_HEADER = 200;

/** The locale that a browser asks for, the first whose language has a catalogue. Browsers list the preferred one first. */
export const localeIn = (acceptLanguage: string | undefined): string => {
  const listed = (acceptLanguage ?? '').slice(0, MAX_HEADER).split(',');
  const locales = listed.map((part) => part.split(';')[0]?.trim() ?? '');
  return locales.find((locale) => /^[\w-]{2,35}$/.test(locale) && languageIn(locale) !== null) ?? 'en';
};
