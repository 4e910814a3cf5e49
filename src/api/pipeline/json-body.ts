import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { bodyProblem, findAmbiguousJson } from '../../platform/http/parse-json-body.ts';

const OTHER_CHARSET = /;\s*charset\s*=\s*"?(?!utf-?8"?\s*(;|$))/i;

/**
 * Accepts one reading of a body only: UTF-8 JSON (RFC 8259, section 8.1) without repeated names. An empty body is an empty
 * object on every method: published clients send that.
 */
export const parseJsonOnly = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') return done(bodyProblem('invalid_encoding'));
    if (OTHER_CHARSET.test(request.headers['content-type'] ?? '')) return done(bodyProblem('invalid_charset'));
    if (request.routeOptions.config.keepsBody) request.bodyBytes = bytes as Buffer;
    if (bytes.length === 0) return done(null, {});
    if (!isUtf8(bytes as Buffer)) return done(bodyProblem('invalid_utf8'));
    const text = bytes.toString();
    void parse(request, text, (error, value) => {
      const code = error ? 'invalid_json' : findAmbiguousJson(text);
      if (code) return done(bodyProblem(code));
      done(null, value);
    });
  });
};
