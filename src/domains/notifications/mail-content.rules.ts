import { z } from 'zod';
import { visibleLine } from '../../platform/visible-line.ts';

const fact = z.tuple([z.string(), z.string()]);

/** What a mail says, apart from how it looks: HTML and text are made of the same. Stored encrypted until the mail is sent. */
export const mailContentSchema = z.object({
  subject: z.string(),
  heading: z.string(),
  paragraphs: z.array(z.string()),
  /** Tables of names and values, each with its own title or none. */
  sections: z.array(z.object({ title: z.string().nullable(), facts: z.array(fact) })),
  /** What the reader may do, one step each. */
  steps: z.array(z.string()),
  /** Why the reader gets the mail, and how to change that. */
  footer: z.string(),
});

export type StoredMail = z.infer<typeof mailContentSchema>;

/** A sentence that leads to a page of this installation, such as /console/pay. */
export interface PageLink {
  text: string;
  page: string;
}

/** As `StoredMail`, before the pages have the address of this installation. */
export interface MailContent extends Omit<StoredMail, 'steps' | 'footer'> {
  steps: readonly (string | PageLink)[];
  footer: string | PageLink;
}

const withUrl = (part: string | PageLink, publicUrl: string): string =>
  typeof part === 'string' ? part : `${part.text}: ${publicUrl}${part.page}`;

/** `publicUrl`: where people reach this installation, without a final slash. */
export const withUrls = ({ steps, footer, ...content }: MailContent, publicUrl: string): StoredMail => ({
  ...content,
  steps: steps.map((step) => withUrl(step, publicUrl)),
  footer: withUrl(footer, publicUrl),
});

const MAX_NAME = 80;

/** A dot of a domain name, also as it is written in other scripts. */
const DOT = '[.\\u2024\\u3002\\uFE52\\uFF0E\\uFF61]';
/** Before a top-level domain, which has two letters or more: marks such as accents and variation selectors count for nothing. */
const DOMAIN_DOT = new RegExp(`(?<=[^\\s.])${DOT}(?=\\p{M}*\\p{L}\\p{M}*\\p{L})`, 'gu');
const IP_ADDRESS = new RegExp(`(?<!\\p{Nd})(?:\\p{Nd}\\p{M}*){1,3}(?:${DOT}(?:\\p{M}*\\p{Nd}){1,3}\\p{M}*){3}(?!\\p{Nd})`, 'gu');

/** Mail programs make links of what reads as an address or a URL: written like this, they do not. */
const defang = (line: string): string =>
  line
    .replace(/[:\uFE55\uFF1A](?=[/\uFF0F]{2})/g, '[:]')
    .replace(/(?<=\S)[@\uFE6B\uFF20](?=\S)/gu, '[at]')
    .replace(DOMAIN_DOT, '[.]')
    .replace(IP_ADDRESS, (address) => address.replace(new RegExp(DOT, 'g'), '[.]'));

const shorten = (line: string): string => {
  const characters = [...line];
  return characters.length <= MAX_NAME ? line : `${characters.slice(0, MAX_NAME - 1).join('')}…`;
};

/** Mail programs decode what looks like an encoded word (RFC 2047) in a subject, into anything that its writer wants to be read. */
const withoutEncodedWords = (line: string): string => line.replaceAll('=?', '= ?');

/** One line without control and direction characters and encoded words, which could forge headers or what is read. */
export const oneLine = (text: string): string => shorten(withoutEncodedWords(visibleLine(text)));

/** Text that others chose, such as the name of a program: as `oneLine`, and nothing in it becomes a link. */
export const plain = (text: string): string => shorten(defang(withoutEncodedWords(visibleLine(text))));
