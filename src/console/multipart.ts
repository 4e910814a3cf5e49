import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../platform/errors.ts';

/** With a file that is too large for its field, so that the form can say so. */
const MAX_BYTES = 1024 * 1024;

const textOf = async (value: string | File): Promise<string> =>
  typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()).toString('base64');

/** A form with files, as one without: a file is its content in base64, and an empty text when none was chosen. */
const readMultipart = async (bytes: Buffer, contentType: string): Promise<Record<string, string[]>> => {
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
    .formData()
    .catch(() => null);
  if (form === null) throw new AppError('BAD_REQUEST', 'The form cannot be read');
  const names = [...new Set(form.keys())];
  const fields = names.map(async (name) => [name, await Promise.all(form.getAll(name).map(textOf))] as const);
  return Object.fromEntries(await Promise.all(fields));
};

export const parseMultipart = (app: FastifyInstance): void => {
  const options = { parseAs: 'buffer', bodyLimit: MAX_BYTES } as const;
  app.addContentTypeParser('multipart/form-data', options, (request: FastifyRequest, bytes: Buffer) =>
    readMultipart(bytes, request.headers['content-type'] ?? ''),
  );
};
