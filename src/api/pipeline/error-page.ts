import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../platform/errors.ts';
import { statusOf } from '../../platform/http/envelope.ts';
import { escapeHtml } from '../../platform/http/escape-html.ts';
import { PAGE_HEADERS } from './security-headers.ts';

export const HTML_TYPE = 'text/html; charset=utf-8';

const SHOWS_PAGES = /\btext\/html\b/i;
const API = /^(?:https?:\/\/[^/?#]*)?\/api\/v1(?:[/?]|$)/;

/** Whether somebody reads the response in a browser. The API answers in JSON only. */
export const isRead = ({ url, accept }: { url: string; accept: string | undefined }): boolean =>
  SHOWS_PAGES.test(accept ?? '') && !API.test(url);

const ERROR_PAGE_HEADERS = {
  ...PAGE_HEADERS,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'content-type': HTML_TYPE,
} as const;

interface Text {
  title: string;
  text: string;
}

const TEXTS: Readonly<Record<number, Text>> = {
  400: { title: 'The address is not valid', text: 'Something in the address of this page cannot be read.' },
  403: { title: 'No access', text: 'You cannot open this page.' },
  404: { title: 'Page not found', text: 'Check that the address is complete.' },
  409: { title: 'Not possible right now', text: 'Try again in a few seconds.' },
  429: { title: 'Too many requests', text: 'Try again in a minute.' },
};
const FAULT_TITLE = 'Something went wrong';

/** The page of an error, in the words of somebody who only followed a link. */
export const errorPage = (
  error: Pick<AppError, 'code'>,
  requestId: string,
): { headers: typeof ERROR_PAGE_HEADERS; html: string } => {
  const fault = { title: FAULT_TITLE, text: `Try again. If it happens again, report ${requestId}.` };
  const { title, text } = TEXTS[statusOf(error)] ?? fault;
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title></head><body><main><h1>${title}</h1><p>${escapeHtml(text)}</p></main></body></html>\n`;
  return { headers: ERROR_PAGE_HEADERS, html };
};

export const sendErrorPage = (error: AppError, { id }: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const { headers, html } = errorPage(error, id);
  return reply.code(statusOf(error)).headers(headers).send(html);
};
