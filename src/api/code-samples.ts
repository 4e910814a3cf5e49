import {
  type CodeSample,
  type DocumentedOperation,
  type DocumentedRequest,
  exampleBody,
  type OpenApiDocument,
  requestsOf,
  successOf,
} from './openapi-operations.ts';

/** Values of parameters in samples; all others are ids. */
const VALUES: Readonly<Record<string, string>> = {
  token: 'inv_5f0c9a7e2b604d18c3e7f9a2b5d8e1f4a7c0b3d6',
  code: 'ada',
  rail: 'sandbox',
};
const ID = '0198f1c2-7a4e-7c31-9f0a-2f1d3b6c8e31';

type Answer = 'json' | 'text' | 'redirect';

interface SampleRequest {
  method: string;
  path: string;
  /** The environment variable that holds the API key; null without one. */
  key: string | null;
  idempotencyKey: string | null;
  /** Signatures, whose values are in environment variables. */
  signatures: readonly { name: string; variable: string }[];
  /** Headers with an example, such as those that a server sends in place of a browser. */
  headers: readonly { name: string; value: string }[];
  body: unknown;
  answer: Answer;
}

const keyOf = ({ security, 'x-key-types': types = [] }: DocumentedOperation): string | null => {
  if (security.length === 0) return null;
  if (types.includes('merchant')) return 'TRIBUTARY_KEY';
  return types.includes('affiliate') ? 'AFFILIATE_KEY' : 'ONBOARDING_KEY';
};

const answerOf = (operation: DocumentedOperation): Answer => {
  const type = successOf(operation)?.type;
  if (type === undefined) return 'redirect';
  return type === 'application/json' ? 'json' : 'text';
};

const toRequest = ({ method, path, operation }: DocumentedRequest): SampleRequest => {
  const { parameters = [], operationId } = operation;
  const sampleValue = (name: string): string => VALUES[name] ?? ID;
  const required = (place: string) => parameters.filter((parameter) => parameter.in === place && parameter.required);
  const query = required('query').map(({ name }) => `${name}=${sampleValue(name)}`);
  const acceptsKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  return {
    method,
    path: [path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sampleValue(name)), ...query].join(query.length > 0 ? '?' : ''),
    key: keyOf(operation),
    idempotencyKey: acceptsKey ? `${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-1` : null,
    signatures: required('header').map(({ name }) => ({ name, variable: name.toUpperCase().replaceAll('-', '_') })),
    headers: parameters.flatMap(({ in: place, name, schema }) =>
      place === 'header' && schema?.examples?.[0] !== undefined ? [{ name, value: String(schema.examples[0]) }] : [],
    ),
    body: exampleBody(operation),
    answer: answerOf(operation),
  };
};

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/** In single quotes, where the shell expands nothing. */
const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const SIGNED = 'The signature covers the exact bytes of the body: sign what you send';
const commentOf = ({ signatures }: SampleRequest, mark: '#' | '//'): string =>
  signatures.length > 0 ? `${mark} ${SIGNED}\n` : '';

const curlCommand = ({ method, path, key, idempotencyKey, signatures, headers, body, answer }: SampleRequest): string =>
  [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} "$TRIBUTARY_URL${path}"`,
    ...(key ? [`-H "Authorization: Bearer $${key}"`] : []),
    ...(idempotencyKey ? [`-H 'Idempotency-Key: ${idempotencyKey}'`] : []),
    ...signatures.map(({ name, variable }) => `-H "${name}: $${variable}"`),
    ...headers.map(({ name, value }) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellQuote(JSON.stringify(body, null, 2))}`]),
    ...(answer === 'redirect' ? [`-w '%{redirect_url}\\n'`] : []),
  ].join(' \\\n  ');

const curlOf = (request: SampleRequest): string => commentOf(request, '#') + curlCommand(request);

const nodeHeaders = ({ key, idempotencyKey, signatures, headers, body }: SampleRequest): string[] => [
  ...(key ? [`    Authorization: \`Bearer \${process.env.${key}}\`,`] : []),
  ...(idempotencyKey ? [`    'Idempotency-Key': '${idempotencyKey}',`] : []),
  ...signatures.map(({ name, variable }) => `    '${name}': process.env.${variable},`),
  ...headers.map(({ name, value }) => `    '${name}': ${JSON.stringify(value)},`),
  ...(body === undefined ? [] : [`    'Content-Type': 'application/json',`]),
];

const NODE_ANSWERS: Readonly<Record<Answer, string>> = {
  json: 'console.log(await response.json());',
  text: 'console.log(await response.text());',
  redirect: `console.log(response.headers.get('location'));`,
};

const nodeOf = (request: SampleRequest): string => {
  const { method, path, body, answer } = request;
  const headers = nodeHeaders(request);
  const lines = [
    `const response = await fetch(\`\${process.env.TRIBUTARY_URL}${path}\`, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? ['  headers: {', ...headers, '  },'] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indent(JSON.stringify(body, null, 2), '  ')}),`]),
    ...(answer === 'redirect' ? [`  redirect: 'manual',`] : []),
    '  signal: AbortSignal.timeout(10_000),',
    '});',
    `if (response.status >= 400) throw new Error(\`\${response.status} \${await response.text()}\`);`,
    NODE_ANSWERS[answer],
  ];
  return commentOf(request, '//') + lines.join('\n');
};

/** Strings of JSON are strings of Python; its other constants have names of their own. */
const pythonLiteral = (value: unknown, by = ''): string => {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = `${by}    `;
  const parts = Array.isArray(value)
    ? value.map((item) => pythonLiteral(item, inner))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${by}${close}`;
};

const pythonHeaders = ({ key, idempotencyKey, signatures, headers }: SampleRequest): string[] => [
  ...(key ? [`        "Authorization": f"Bearer {os.environ['${key}']}",`] : []),
  ...(idempotencyKey ? [`        "Idempotency-Key": "${idempotencyKey}",`] : []),
  ...signatures.map(({ name, variable }) => `        "${name}": os.environ["${variable}"],`),
  ...headers.map(({ name, value }) => `        "${name}": ${JSON.stringify(value)},`),
];

const PYTHON_ANSWERS: Readonly<Record<Answer, string>> = {
  json: 'print(response.json())',
  text: 'print(response.text)',
  redirect: 'print(response.headers["Location"])',
};

const pythonOf = (request: SampleRequest): string => {
  const { method, path, body, answer } = request;
  const headers = pythonHeaders(request);
  const lines = [
    'import os',
    '',
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    f"{os.environ['TRIBUTARY_URL']}${path}",`,
    ...(headers.length > 0 ? ['    headers={', ...headers, '    },'] : []),
    ...(body === undefined ? [] : [`    json=${pythonLiteral(body, '    ')},`]),
    ...(answer === 'redirect' ? ['    allow_redirects=False,'] : []),
    '    timeout=10,',
    ')',
    'response.raise_for_status()',
    PYTHON_ANSWERS[answer],
  ];
  return commentOf(request, '#') + lines.join('\n');
};

/** In curl, Node and Python. They read address, keys and signatures from the environment. */
export const codeSamplesOf = (documented: DocumentedRequest): CodeSample[] => {
  const request = toRequest(documented);
  return [
    { lang: 'Shell', label: 'curl', source: curlOf(request) },
    { lang: 'JavaScript', label: 'Node', source: nodeOf(request) },
    { lang: 'Python', label: 'Python', source: pythonOf(request) },
  ];
};

/** Adds its samples to each operation. */
export const addCodeSamples = (document: OpenApiDocument): OpenApiDocument => {
  for (const request of requestsOf(document)) request.operation['x-codeSamples'] = codeSamplesOf(request);
  return document;
};
