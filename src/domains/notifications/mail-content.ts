import { z } from 'zod';

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

export type MailContent = z.infer<typeof mailContentSchema>;

const MAX_NAME = 80;

/** Mail programs make links of what reads as an address or a URL: written like this, they do not. */
const defang = (line: string): string =>
  line
    .replaceAll('://', '[:]//')
    .replace(/(?<=\S)[@\uFF20](?=\S)/gu, '[at]')
    .replace(/(?<=[\p{L}\p{N}])[.\u3002\uFF0E\uFF61](?=\p{L}{2})/gu, '[.]');

const shorten = (line: string): string => {
  const characters = [...line];
  return characters.length <= MAX_NAME ? line : `${characters.slice(0, MAX_NAME - 1).join('')}…`;
};

const joinLines = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, '')
    .replace(/ {2,}/g, ' ')
    .trim();

/** One line without control and direction characters, which could forge headers or the order of what is read. */
export const oneLine = (text: string): string => shorten(joinLines(text));

/** Text that others chose, such as the name of a program: as `oneLine`, and nothing in it becomes a link. */
export const plain = (text: string): string => shorten(defang(joinLines(text)));
