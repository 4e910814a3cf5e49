import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { oddityOf } from '../../platform/http/json.ts';

const ODDITIES = {
  invalid_json: 'is not valid JSON',
  repeated_name: 'names a field twice',
  too_deep: 'is nested too deep',
} as const;

/** An empty body with a JSON content type is an empty object, on every method: published clients send that. */
export const parseJsonOnly = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') return done(null, {});
    void parse(request, text as string, (error, value) => {
      const code = error ? 'invalid_json' : oddityOf(text as string);
      if (code) {
        const issues = [{ path: 'body', code, message: ODDITIES[code] }];
        return done(new Refusal('BAD_REQUEST', 'The body is not usable JSON', { issues }));
      }
      done(null, value);
    });
  });
};
