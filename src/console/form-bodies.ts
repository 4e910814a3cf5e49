import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../platform/errors.ts';
import type { Fields } from './components/form.ts';
import type { Page } from './page.ts';

const MAX_FORM_BYTES = 256 * 1024;
/** With a file that is too large for its field, so that the form can say so. */
const MAX_MULTIPART_BYTES = 1024 * 1024;
/** The largest forms are tables with several fields in each row. */
const MAX_FIELDS = 2_000;
const MAX_PARTS = 50;

/** As browsers write it. Another spelling could hide parts from the count. */
const MULTIPART = /^multipart\/form-data; ?boundary=("?)([\w'()+,./:=?-]{1,70})\1$/i;

const unreadable = (): AppError => new AppError('BAD_REQUEST', 'The form cannot be read');

/** The body that the page's largest form may have; undefined: as large as that of any page. */
export const bodyLimitOf = ({ forms }: Page): number | undefined => {
  const largest = Object.values(forms).flatMap(({ fields }) =>
    Object.values(fields as Fields).flatMap(({ maxFileBytes }) => maxFileBytes ?? []),
  );
  return largest.length === 0 ? undefined : Math.max(...largest) + MAX_FORM_BYTES;
};

const hasFile = ({ forms }: Page): boolean =>
  Object.values(forms).some(({ fields }) => Object.values(fields as Fields).some(({ isFile }) => isFile));

/** Counts no further than to the limit, before anything else reads the form. */
const assertAtMost = (max: number, body: Buffer, mark: string): void => {
  let at = body.indexOf(mark);
  for (let count = 1; at !== -1; count++) {
    if (count > max) throw new AppError('BAD_REQUEST', 'The form has too many fields');
    at = body.indexOf(mark, at + mark.length);
  }
};

const readUrlencoded = (body: Buffer): ParsedUrlQuery => {
  // The limit of a page with large files is that of its files.
  if (body.length > MAX_FORM_BYTES) throw new AppError('BAD_REQUEST', 'The form is too large');
  assertAtMost(MAX_FIELDS - 1, body, '&');
  return parse(body.toString(), '&', '=', { maxKeys: 0 });
};

const textOf = async (value: string | File): Promise<string> =>
  typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64');

/** A form with files, as one without: a file is its content in base64, and an empty text when none was chosen. */
const readMultipart = async (body: Buffer, contentType: string): Promise<Record<string, string[]>> => {
  const boundary = MULTIPART.exec(contentType)?.[2];
  if (boundary === undefined) throw unreadable();
  // One of them ends the form.
  assertAtMost(MAX_PARTS + 1, body, `--${boundary}`);
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => null);
  if (form === null) throw unreadable();
  const fields = new Map<string, string[]>();
  for (const [name, value] of form) {
    const values = fields.get(name) ?? [];
    values.push(await textOf(value));
    fields.set(name, values);
  }
  return Object.fromEntries(fields);
};

/** Forms of pages. Those with files only for pages that have one, which strangers cannot open: reading them takes much longer. */
export const parseForms = (app: FastifyInstance): void => {
  const plain = { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES } as const;
  app.addContentTypeParser('application/x-www-form-urlencoded', plain, async (_request: FastifyRequest, body: Buffer) =>
    readUrlencoded(body),
  );
  const withFiles = { parseAs: 'buffer', bodyLimit: MAX_MULTIPART_BYTES } as const;
  app.addContentTypeParser('multipart/form-data', withFiles, async (request: FastifyRequest, body: Buffer) => {
    const { page } = request.routeOptions.config;
    if (!page || !hasFile(page)) throw new AppError('BAD_REQUEST', 'The page has no form with files');
    return readMultipart(body, request.headers['content-type'] ?? '');
  });
};
