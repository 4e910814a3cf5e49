import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { openDownload, receiveUpload } from '../domains/resources/index.ts';
import { AppError } from '../platform/errors.ts';
import { rangeHeaders, requestedRange } from '../platform/http/byte-range.ts';
import { errorText, JSON_TYPE, successText } from '../platform/http/envelope.ts';
import type { Runtime } from '../runtime.ts';
import type { DocsLimit } from './docs.routes.ts';
import { LIMITS } from './hardening/limits.ts';

export interface FilesInput {
  runtime: Pick<Runtime, 'context'>;
  limit: DocsLimit;
}

interface TokenRoute {
  Params: { token: string };
}

/**
 * Others wrote these files. A browser saves them and never shows them: nothing in them runs as a page of this origin, not even
 * where it ignores one of these headers.
 */
const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'cache-control': 'private, no-store',
  'referrer-policy': 'no-referrer',
} as const;

/** Pages of every origin may send and fetch files: the token is the permission, and no cookie is involved. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' } as const;
const PREFLIGHT = {
  ...ANY_ORIGIN,
  'access-control-allow-methods': 'PUT',
  'access-control-allow-headers': 'content-type',
  'access-control-max-age': 7_200,
} as const;

/** What would name a folder, or show another name or extension than the file has. */
const MISLEADING = /[\\/:\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A name of ASCII characters for old clients, and the name itself (RFC 6266). */
const dispositionOf = (given: string): string => {
  const fileName = given.replaceAll(MISLEADING, '_');
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
};

const BEYOND_END = new AppError('BAD_REQUEST', 'The range begins after the end of the file');

const numberOf = (header: string | undefined): number | null => (header === undefined ? null : Number(header));

/** Where files are sent and fetched, by signed URLs. Bodies are streams here: none is held in memory. */
export const mountFiles = async (app: FastifyInstance, { runtime, limit }: FilesInput): Promise<void> => {
  const { deadlines, enterTransfer } = app.hardening;
  const contextOf = (name: string, request: FastifyRequest) => runtime.context({ kind: 'system', name }, request.log);
  const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.headers(ANY_ORIGIN);
    await limit(request, reply);
  };

  await app.register((files, _options, done) => {
    files.removeAllContentTypeParsers();
    files.addContentTypeParser('*', (_request, body, parsed) => parsed(null, body));

    files.options<TokenRoute>('/files/uploads/:token', { onRequest: limit }, (_request, reply) => {
      reply.headers(PREFLIGHT).code(204).send();
    });

    files.put<TokenRoute>('/files/uploads/:token', { config: { isTransfer: true }, onRequest: admit }, async (request, reply) => {
      const { address, headers, raw } = request;
      const { token } = request.params;
      const received = await receiveUpload(contextOf('receiveUpload', request), {
        token,
        admit(merchantId) {
          enterTransfer(reply, { direction: 'upload', merchantId, token, address });
          deadlines.extend(reply.raw, LIMITS.transfers.uploadMs);
        },
        contentType: headers['content-type'],
        contentEncoding: headers['content-encoding'],
        contentLength: numberOf(headers['content-length']),
        // Destroying the body would close the connection before a rejection is sent.
        bytes: raw.iterator({ destroyOnReturn: false }),
      }).finally(() => raw.resume());
      const data = JSON.stringify({ file_size_bytes: received.byteSize });
      return reply.header('content-type', JSON_TYPE).send(successText(data, { requestId: request.id }));
    });

    files.get<TokenRoute>('/files/downloads/:token', { exposeHeadRoute: false, onRequest: admit }, async (request, reply) => {
      const { token } = request.params;
      const file = await openDownload(contextOf('openDownload', request), token);
      const { stored, merchantId } = file;
      const range = stored && requestedRange(request.headers, stored);
      if (range === 'unsatisfiable')
        return reply
          .code(416)
          .headers({ 'content-range': `bytes */${stored?.byteSize}`, 'content-type': JSON_TYPE })
          .send(errorText(BEYOND_END, request.id));
      enterTransfer(reply, { direction: 'download', merchantId, token, address: request.address });
      const bytes = await file.open(range);
      deadlines.extend(reply.raw, LIMITS.transfers.downloadMs);
      return reply
        .code(range ? 206 : 200)
        .headers({ ...HEADERS, ...(stored ? rangeHeaders(stored, range) : { 'accept-ranges': 'none' }) })
        .headers({ 'content-type': file.contentType, 'content-disposition': dispositionOf(file.fileName) })
        .send(bytes);
    });
    done();
  });
};
