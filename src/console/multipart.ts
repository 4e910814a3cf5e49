import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../platform/errors.ts';
import type { Fields } from './components/form.ts';
import type { Page } from './page.ts';

/** With a file that is too large for its field, so that the form can say so. */
const MAX_BYTES = 1024 * 1024;

const hasFile = ({ forms }: Page): boolean =>
  Object.values(forms).some(({ fields }) => Object.values(fields as Fields).some(({ isFile }) => isFile));

const textOf = async (value: string | File): Promise<string> =>
  typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64');

/** A form with files, as one without: a file is its content in base64, and an empty text when none was chosen. */
const readMultipart = async (bytes: Buffer, contentType: string): Promise<Record<string, string[]>> => {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => null);
  if (form === null) throw new AppError('BAD_REQUEST', 'The form cannot be read');
  // In one pass: a body can have thousands of names.
  const fields = new Map<string, string[]>();
  for (const [name, value] of form) {
    const values = fields.get(name) ?? [];
    values.push(await textOf(value));
    fields.set(name, values);
  }
  return Object.fromEntries(fields);
};

/** Only for pages that have a form with files, which strangers cannot open: reading one takes much longer than reading other forms. */
export const parseMultipart = (app: FastifyInstance): void => {
  const options = { parseAs: 'buffer', bodyLimit: MAX_BYTES } as const;
  app.addContentTypeParser('multipart/form-data', options, async (request: FastifyRequest, bytes: Buffer) => {
    const { page } = request.routeOptions.config;
    if (!page || !hasFile(page)) throw new AppError('BAD_REQUEST', 'The page has no form with files');
    return readMultipart(bytes, request.headers['content-type'] ?? '');
  });
};
