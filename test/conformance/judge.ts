import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

export interface Exchanged {
  method: string;
  /** With its query. */
  path: string;
  request: string;
  status: number;
  response: string;
}

/** How often an operation was judged, and what was wrong. */
export interface Verdict {
  exchanges: number;
  violations: string[];
}

const JSON_BODY = 'application/json';
/** PayPal's own formats, which no library knows. */
const OWN_FORMATS = ['ppaas_common_language_v3', 'ppaas_common_currency_code_v2'];

/** Judges requests and answers by the OpenAPI file of a provider. */
export const openJudge = (file: string) => {
  const api = JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  for (const name of OWN_FORMATS) ajv.addFormat(name, true);
  ajv.addSchema({ $id: 'api', components: api.components });
  const compiled = new Map<object, ValidateFunction>();
  const validate = (schema: object, body: unknown): string[] => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"api#/components');
    const check = compiled.get(schema) ?? ajv.compile(JSON.parse(text) as object);
    compiled.set(schema, check);
    return check(body) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => 'operationId' in operation)
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
        operation,
      })),
  );
  const verdicts = new Map<string, Verdict>(
    operations.map(({ operation }) => [operation.operationId, { exchanges: 0, violations: [] }]),
  );

  return {
    verdicts,
    /** False for what the file says nothing about. */
    judge({ method, path, request, status, response }: Exchanged): boolean {
      const pathname = path.split('?')[0] ?? '';
      const found = operations.find((known) => known.method === method && known.pattern.test(pathname));
      const verdict = found && verdicts.get(found.operation.operationId);
      if (!found || !verdict) return false;
      const { requestBody, responses } = found.operation;
      const asked = requestBody?.content[JSON_BODY]?.schema;
      const answered = (responses[String(status)] ?? responses['default'])?.content?.[JSON_BODY]?.schema;
      const said = [
        ...(asked ? validate(asked, JSON.parse(request)).map((why) => `request ${why}`) : []),
        ...(answered
          ? validate(answered, JSON.parse(response)).map((why) => `response ${status} ${why}`)
          : [`${status} is not documented`]),
      ];
      verdict.exchanges += 1;
      verdict.violations.push(...said.map((why) => `${method} ${pathname}: ${why}`));
      return true;
    },
  };
};
