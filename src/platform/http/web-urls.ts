import { z } from 'zod';
import { HOST_NAME } from '../host-name.ts';
import { hasShortHost } from './web-page.ts';

/** The URL parser drops spaces and line breaks silently; the text is stored as it was sent, so they are rejected. */
const isUrlText = (text: string): boolean => !/[\s\p{Cc}\p{Cs}]/u.test(text);

const NO_WEB_PAGE = 'must be an absolute URL: http or https with the name of a public host, such as https://acme.example/pricing';

const urlOf = (hostname: RegExp) =>
  z
    .string()
    .max(2048)
    .refine(isUrlText, { message: 'must not contain spaces or control characters', abort: true })
    .superRefine((text, { addIssue }) => {
      if (!hasShortHost(text)) addIssue({ code: 'invalid_format', format: 'url', message: NO_WEB_PAGE });
    })
    .pipe(z.url({ protocol: /^https?$/, hostname, error: NO_WEB_PAGE }))
    .refine((text) => {
      const url = URL.parse(text);
      return url === null || (url.username === '' && url.password === '');
    }, 'must not contain a user name or password')
    .meta({ format: 'uri', maxLength: 2048 });

export const webUrl = urlOf(HOST_NAME);

const LOOPBACK = /^(localhost|127\.0\.0\.1)$/;
/** As `webUrl`, and pages of this machine: use cases refuse those in production. */
export const siteUrl = urlOf(new RegExp(`${HOST_NAME.source}|${LOOPBACK.source}`));
/** Whether the URL is one of this machine. */
export const isLoopbackUrl = (url: string): boolean => LOOPBACK.test(URL.parse(url)?.hostname ?? '');
