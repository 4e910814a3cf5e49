import type { FastifyInstance } from 'fastify';
import { AppError } from '../../platform/errors.ts';
import { findAmbiguousJson } from '../../platform/http/ambiguous-json.ts';

const AMBIGUITIES = {
  invalid_json: 'is not valid JSON',
  repeated_name: 'contains a field name twice',
  too_deep: 'is nested too deeply',
} as const;

/** An empty body with a JSON content type is an empty object, on every method: the published client sends that. */
export const parseJsonOnly = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, {});
    void parse(request, text as string, (error, value) => {
      const code = error ? 'invalid_json' : findAmbiguousJson(text as string);
      if (code) {
        const issues = [{ path: 'body', code, message: AMBIGUITIES[code] }];
        return done(new AppError('BAD_REQUEST', 'The body is not unambiguous JSON', { issues }));
      }
      done(null, value);
    });
  });
};
