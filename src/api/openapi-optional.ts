/** The parts of an operation that a request may leave out. */
export interface OptionalParts {
  parameters?: { in?: string; name: string; required?: boolean; description?: string; schema?: OptionalSchema }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
}

interface OptionalSchema {
  type?: string | string[];
  default?: unknown;
  description?: string;
  required?: string[];
  properties?: Record<string, OptionalSchema>;
  anyOf?: OptionalSchema[];
}

/** How a description says what happens when a field or parameter is left out. */
export const SAYS_DEFAULT = /\b(?:Default|Left out): |\b(?:Needed|Required|Provide) /;

const isSilent = (field: OptionalSchema): field is OptionalSchema & { description: string } =>
  field.default === undefined && field.description !== undefined && !SAYS_DEFAULT.test(field.description);

const isNullable = ({ type, anyOf }: OptionalSchema): boolean =>
  [type].flat().includes('null') || (anyOf ?? []).some((part) => part.type === 'null');

/** The default of a new object is not that of a change. */
const ofChange = (description: string): string => {
  if (description.includes('Left out: ')) return description;
  const kept = description
    .replace(/\. Default: null, (\w[^(]*?)(?= \(|$)/, '. Null: $1')
    .replace(/\. Default: [^(]*?(?= \(|$)/, '');
  return `${kept}. Left out: unchanged`;
};

const optionalFields = ({ required = [], properties = {} }: OptionalSchema): OptionalSchema[] =>
  Object.entries(properties).flatMap(([name, field]) => (required.includes(name) ? [] : [field]));

/** Says what happens without an optional field or filter, where that follows from the kind of operation. */
export const describeAbsence = (method: string, { parameters = [], requestBody }: OptionalParts): void => {
  for (const parameter of parameters) {
    const isFilter = method === 'get' && parameter.in === 'query' && parameter.required !== true;
    const field = { ...parameter.schema, ...(parameter.description ? { description: parameter.description } : {}) };
    if (isFilter && isSilent(field)) parameter.description = `${field.description}. Default: no filter`;
  }
  const schema = requestBody?.content?.['application/json']?.schema as OptionalSchema | undefined;
  for (const field of schema ? optionalFields(schema) : []) {
    if (method === 'patch' || method === 'put') field.description = ofChange(field.description ?? '');
    else if (isNullable(field) && isSilent(field)) field.description = `${withoutNull(field.description)}. Default: null`;
  }
};

const withoutNull = (description: string): string =>
  description.replace(/; null (?:if not set|for none|if there (?:is|are) none)$/, '');
