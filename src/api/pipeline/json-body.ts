import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../platform/errors.ts';
import { findAmbiguousJson } from '../../platform/http/ambiguous-json.ts';

const PROBLEMS = {
  invalid_charset: 'must be UTF-8, with no other charset in its content type',
  invalid_encoding: 'must be sent without Content-Encoding',
  invalid_utf8: 'is not valid UTF-8',
  invalid_json: 'is not valid JSON',
  repeated_name: 'repeats a member name',
  too_deep: 'is nested too deeply',
} as const;

const OTHER_CHARSET = /;\s*charset\s*=\s*"?(?!utf-?8"?\s*(;|$))/i;

const problem = (code: keyof typeof PROBLEMS): AppError =>
  new AppError('BAD_REQUEST', `The request body ${PROBLEMS[code]}`, {
    issues: [{ path: 'body', code, message: PROBLEMS[code] }],
  });

/**
 * Accepts one reading of a body only: UTF-8 JSON (RFC 8259, section 8.1) without repeated names. An empty body is an empty
 * object on every method: published clients send that.
 */
export const parseJsonOnly = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity') return done(problem('invalid_encoding'));
    if (OTHER_CHARSET.test(request.headers['content-type'] ?? '')) return done(problem('invalid_charset'));
    if (bytes.length === 0) return done(null, {});
    if (!isUtf8(bytes as Buffer)) return done(problem('invalid_utf8'));
    const text = bytes.toString();
    void parse(request, text, (error, value) => {
      const code = error ? 'invalid_json' : findAmbiguousJson(text);
      if (code) return done(problem(code));
      done(null, value);
    });
  });
};
