import type { createDocument } from 'zod-openapi';

type OpenApiDocument = ReturnType<typeof createDocument>;

interface Field {
  type?: string | string[];
  default?: unknown;
  description?: string;
  required?: string[];
  properties?: Record<string, Field>;
  anyOf?: Field[];
  'x-unit'?: string;
}

/** The parts of an operation that have fields of a request. */
interface Request {
  parameters?: { in?: string; name: string; required?: boolean; description?: string; schema?: Field }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
}

/** A description of the schema itself replaces its unit, which is added again. */
const stateUnits = (part: unknown): void => {
  if (typeof part !== 'object' || part === null) return;
  const field = part as Field;
  const unit = field['x-unit'];
  if (typeof unit === 'string') {
    delete field['x-unit'];
    const { description = '' } = field;
    if (!/ISO 8601|[mM]inor units/.test(description)) field.description = `${description} (${unit})`;
  }
  for (const inner of Object.values(part)) stateUnits(inner);
};

/** How a description says what happens when a field or parameter is left out. */
export const SAYS_DEFAULT = /\b(?:Default|Left out): |\b(?:Needed|Required|Provide) /;

const isSilent = (field: Field): field is Field & { description: string } =>
  field.default === undefined && field.description !== undefined && !SAYS_DEFAULT.test(field.description);

const isNullable = ({ type, anyOf }: Field): boolean =>
  [type].flat().includes('null') || (anyOf ?? []).some((part) => part.type === 'null');

/** The default of a new object is not that of a change. */
const ofChange = (description: string): string => {
  if (description.includes('Left out: ')) return description;
  const kept = description
    .replace(/\. Default: null, (\w[^(]*?)(?= \(|$)/, '. Null: $1')
    .replace(/\. Default: [^(]*?(?= \(|$)/, '');
  return `${kept}. Left out: unchanged`;
};

const optionalFields = ({ required = [], properties = {} }: Field): Field[] =>
  Object.entries(properties).flatMap(([name, field]) => (required.includes(name) ? [] : [field]));

/** Says what happens without an optional field or filter, where that follows from the kind of operation. */
const describeAbsence = (method: string, { parameters = [], requestBody }: Request): void => {
  for (const parameter of parameters) {
    const isFilter = method === 'get' && parameter.in === 'query' && parameter.required !== true;
    const field = { ...parameter.schema, ...(parameter.description ? { description: parameter.description } : {}) };
    if (isFilter && isSilent(field)) parameter.description = `${field.description}. Default: no filter`;
  }
  const schema = requestBody?.content?.['application/json']?.schema as Field | undefined;
  for (const field of schema ? optionalFields(schema) : []) {
    if (method === 'patch' || method === 'put') field.description = ofChange(field.description ?? '');
    else if (isNullable(field) && isSilent(field)) field.description = `${withoutNull(field.description)}. Default: null`;
  }
};

const withoutNull = (description: string): string =>
  description.replace(/; null (?:if not set|for none|if there (?:is|are) none)$/, '');

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Completes the descriptions of fields and parameters by what follows from their schemas: units, and what happens without them. */
export const completeDescriptions = (document: OpenApiDocument): OpenApiDocument => {
  stateUnits([document.components?.schemas, document.paths, document.webhooks]);
  for (const item of [...Object.values(document.paths ?? {}), ...Object.values(document.webhooks ?? {})]) {
    for (const method of METHODS) {
      const operation = item[method] as Request | undefined;
      if (!operation) continue;
      for (const parameter of operation.parameters ?? []) {
        const description = parameter.schema?.description ?? parameter.description;
        if (description !== undefined) parameter.description = description;
        delete parameter.schema?.description;
      }
      describeAbsence(method, operation);
    }
  }
  return document;
};
