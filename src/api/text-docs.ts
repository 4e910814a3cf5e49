import { CURRENCY_CODES } from '../contracts/currencies.ts';
import { GUIDES, type Guide, readGuide, readOpening } from './guides.ts';
import { type DocumentedRequest, type FieldSchema, type OpenApiDocument, requestsOf, successOf } from './openapi-operations.ts';

const INTRODUCTION = `# Tributary

> A self-hosted referral-program backend: programs, affiliates, conversions, payouts and webhooks behind one REST API.

Requests carry an API key in \`Authorization: Bearer\`. Responses are \`{"data": …, "meta": …}\` or \`{"error": …, "meta": …}\`. Amounts are
integers in minor units (cents), times are ISO 8601 in UTC. Currencies are ISO 4217 codes:
${CURRENCY_CODES.join(', ')}.`;

const guidePath = (guide: Guide): string => `/docs/guides/${guide}.md`;
const operationPath = ({ operation }: DocumentedRequest): string => `/docs/operations/${operation.operationId}.md`;

const guideLine = (guide: Guide): string => {
  const [title = ''] = readGuide(guide).split('\n');
  const [opening = ''] = readOpening(guide).split('\n\n');
  return `- [${title.replace('# ', '')}](${guidePath(guide)}): ${opening}`;
};

const operationLine = (request: DocumentedRequest): string =>
  `- [${request.operation.summary}](${operationPath(request)}): \`${request.method} ${request.path}\``;

const groupLines = (requests: readonly DocumentedRequest[], tag: string): string =>
  [`## ${tag}`, '', ...requests.filter(({ operation }) => operation.tags.includes(tag)).map(operationLine)].join('\n');

const indexOf = (requests: readonly DocumentedRequest[], tags: readonly string[]): string =>
  [
    INTRODUCTION,
    ['## Guides', '', ...GUIDES.map(guideLine)].join('\n'),
    ...tags.map((tag) => groupLines(requests, tag)),
    [
      '## Optional',
      '',
      '- [Everything in one file](/llms-full.txt): all guides and operations',
      '- [OpenAPI document](/docs/openapi.json): OpenAPI 3.1 with the schemas of all responses and webhook events',
    ].join('\n'),
  ].join('\n\n');

/** Listed once, in the introduction. */
const isCurrency = (values: readonly unknown[]): boolean =>
  values.length === CURRENCY_CODES.length && values[0] === CURRENCY_CODES[0];

const typeOf = ({ type, format, enum: values, const: value, anyOf }: FieldSchema): string => {
  if (value !== undefined) return `\`${String(value)}\``;
  if (values && isCurrency(values)) return 'ISO 4217 code';
  if (values) return `${values.length > 1 ? 'one of ' : ''}${values.map((value) => `\`${String(value)}\``).join(', ')}`;
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  return [[type ?? 'any'].flat().join(' or '), format].filter(Boolean).join(', ');
};

const LIMITS = {
  minimum: 'at least #',
  maximum: 'at most #',
  minLength: 'at least # characters',
  maxLength: 'at most # characters',
  minItems: 'at least # items',
  maxItems: 'at most # items',
} as const;

/** The integers of JavaScript are no limit that somebody chose. */
const isChosen = (limit: unknown): boolean => limit !== undefined && Math.abs(Number(limit)) !== Number.MAX_SAFE_INTEGER;

const limitsOf = (schema: FieldSchema): string[] => [
  ...Object.entries(LIMITS).flatMap(([name, words]) => {
    const limit = schema[name as keyof typeof LIMITS];
    return isChosen(limit) ? [words.replace('#', String(limit))] : [];
  }),
  ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ...(schema.anyOf ?? []).flatMap(limitsOf),
];

const fieldLine = (name: string, schema: FieldSchema, required: boolean, description = ''): string => {
  const facts = [typeOf(schema), ...limitsOf(schema), ...(required ? ['required'] : [])];
  return `- \`${name}\` (${facts.join(', ')}): ${description}`;
};

type Resolve = (schema: FieldSchema) => FieldSchema;

/** Schemas that operations share are written out where they are used. */
const resolveIn =
  (document: OpenApiDocument): Resolve =>
  ({ $ref, ...own }) => {
    const shared = document.components?.schemas?.[$ref?.split('/').at(-1) ?? ''] as FieldSchema | undefined;
    return { ...shared, ...own };
  };

/** The first line of an alternative: what it is, by the field that tells it from the others. */
const alternativeLine = (resolve: Resolve, part: FieldSchema, count: number): string => {
  const fields = Object.entries(resolve(part).properties ?? {});
  const [name, tag] = fields.find(([, field]) => resolve(field).const !== undefined) ?? [];
  const which = tag ? ` with \`${name}\` ${typeOf(resolve(tag))}` : '';
  return `- One of ${count} alternatives${which}:`;
};

/** Fields of objects inside are named by their path. The fields of alternatives follow one another. */
const fieldLines = (resolve: Resolve, given: FieldSchema, prefix = ''): string[] => {
  const schema = resolve(given);
  const alternatives = (schema.oneOf ?? []).filter((part) => resolve(part).properties);
  return [
    ...(schema.anyOf ?? []).flatMap((part) => fieldLines(resolve, part, prefix)),
    ...alternatives.flatMap((part) => [
      alternativeLine(resolve, part, alternatives.length),
      ...fieldLines(resolve, part, prefix),
    ]),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
      const field = resolve(part);
      return [
        fieldLine(prefix + name, field, schema.required?.includes(name) ?? false, field.description),
        ...fieldLines(resolve, field, `${prefix}${name}.`),
        ...fieldLines(resolve, field.items ?? {}, `${prefix}${name}[].`),
      ];
    }),
  ];
};

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length > 0 ? [`### ${title}`, lines.join('\n')] : [];

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

const operationText = (request: DocumentedRequest, resolve: Resolve): string => {
  const { method, path, operation } = request;
  const { parameters = [], requestBody } = operation;
  const success = successOf(operation);
  const response = success?.content.example;
  const [curl] = operation['x-codeSamples'] ?? [];
  return [
    `## ${operation.summary}`,
    `\`${method} ${path}\``,
    operation.description,
    ...section(
      'Parameters',
      parameters.map(({ name, in: place, required, description, schema = {} }) =>
        fieldLine(name, schema, required ?? false, `In the ${place}. ${description ?? ''}`),
      ),
    ),
    ...section('Body', fieldLines(resolve, requestBody?.content['application/json']?.schema ?? {})),
    ...section('Example', curl ? [block('sh', curl.source)] : []),
    ...section('Response', response === undefined ? [] : [block('json', JSON.stringify(response, null, 2))]),
  ].join('\n\n');
};

/** The guides and operations as Markdown, by path: an index, each alone, and everything in one file. */
export const createTextDocs = (document: OpenApiDocument): Record<string, string> => {
  const requests = requestsOf(document);
  const resolve = resolveIn(document);
  const tags = (document.tags ?? []).map(({ name }) => name);
  const guides = GUIDES.map((guide) => [guidePath(guide), readGuide(guide)] as const);
  const operations = requests.map((request) => [operationPath(request), `${operationText(request, resolve)}\n`] as const);
  return {
    '/llms.txt': `${indexOf(requests, tags)}\n`,
    '/llms-full.txt': [`${INTRODUCTION}\n`, ...guides.map(([, text]) => text), ...operations.map(([, text]) => text)].join('\n'),
    ...Object.fromEntries([...guides, ...operations]),
  };
};
