import { requestText } from './raw-http.ts';

/** What it is, the status that answers it, and its bytes with the key of a merchant. */
export type Malformed = [what: string, status: number, bytes: (key: string) => string | Uint8Array];

const head = (key: string, start: string, more = ''): string =>
  `${start} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nConnection: close\r\n${more}\r\n`;

const post = (key: string, body: string | Buffer, type = 'application/json'): Buffer => {
  const start = requestText('POST /api/v1/programs', {
    Authorization: `Bearer ${key}`,
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
  });
  return Buffer.concat([Buffer.from(start), Buffer.from(body as string)]);
};

const chunked = (key: string, chunks: string, more = ''): string =>
  `${head(key, 'POST /api/v1/programs', `Transfer-Encoding: chunked\r\n${more}`)}${chunks}`;

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const program = (more: string): string => `{"name":"A","commissionType":"recurring",${more}}`;

export const MALFORMED_BODIES: Malformed[] = [
  ['truncated JSON', 400, (key) => post(key, '{"name":"A')],
  ['100 000 opening brackets', 400, (key) => post(key, '['.repeat(100_000))],
  ['an object nested 5 000 deep', 400, (key) => post(key, nested(5_000))],
  ['a repeated member', 400, (key) => post(key, '{"name":"A","name":"B"}')],
  ['a member repeated by an escape', 400, (key) => post(key, '{"name":"A","x":{"a":1,"\\u0061":2}}')],
  ['__proto__', 400, (key) => post(key, '{"name":"A","__proto__":{"isAdmin":true}}')],
  ['an escaped __proto__', 400, (key) => post(key, '{"name":"A","\\u005f_proto__":{"isAdmin":true}}')],
  ['constructor.prototype', 400, (key) => post(key, '{"name":"A","constructor":{"prototype":{"isAdmin":true}}}')],
  ['NaN', 400, (key) => post(key, '{"name":NaN}')],
  ['1e400', 422, (key) => post(key, program('"commissionPercent":1e400'))],
  ['a number of 1 000 digits', 422, (key) => post(key, program(`"commissionPercent":${'9'.repeat(1_000)}`))],
  ['an integer beyond 2^53', 422, (key) => post(key, program('"commissionPercent":20,"payoutThreshold":9007199254740993'))],
  ['UTF-16', 400, (key) => post(key, Buffer.from('{"name":"A"}', 'utf16le'))],
  ['invalid UTF-8', 400, (key) => post(key, Buffer.from('{"name":"\xff"}', 'latin1'))],
  ['another charset', 400, (key) => post(key, '{}', 'application/json; charset=iso-8859-1')],
  ['a form', 400, (key) => post(key, 'name=A', 'application/x-www-form-urlencoded')],
  ['an array', 422, (key) => post(key, '[]')],
  ['null', 422, (key) => post(key, 'null')],
];

const TARGETS: [what: string, target: string, status: number][] = [
  ['a percent sign', '/api/v1/payouts/%', 400],
  ['an invalid escape', '/api/v1/payouts/%zz', 400],
  ['invalid UTF-8', '/api/v1/payouts/%ff', 400],
  ['overlong UTF-8', '/api/v1/payouts/%c0%af', 400],
  ['a null byte', '/api/v1/payouts/%00', 400],
  ['raw bytes', '/api/v1/payouts/\u00ff', 400],
  ['an invalid escape in the query', '/api/v1/affiliates?search=%zz', 400],
  ['invalid UTF-8 in the query', '/api/v1/affiliates?search=%ff', 400],
  ['a surrogate in the query', '/api/v1/affiliates?search=%ed%a0%80', 400],
  ['a null byte in the query', '/api/v1/affiliates?search=%00', 400],
  ['raw bytes in the query', '/api/v1/affiliates?search=\u00ff', 400],
  ['__proto__ in the query', '/api/v1/payouts?__proto__=1', 400],
  ['a repeated query parameter', '/api/v1/payouts?status=failed&status=pending', 400],
  ['3 000 query parameters', `/api/v1/payouts?${'a=1&'.repeat(3_000)}`, 400],
  ['a path of 12 kB', `/api/v1/${'a'.repeat(12_000)}`, 404],
  ['a path of 60 kB', `/api/v1/${'a'.repeat(60_000)}`, 400],
  ['an id of 300 characters', `/api/v1/payouts/${'a'.repeat(300)}`, 400],
  ['a query of 12 kB', `/api/v1/affiliates?search=${'a'.repeat(12_000)}`, 400],
  ['dot segments', '/api/v1/../../etc/passwd', 404],
  ['two slashes', '//api/v1/me', 404],
  ['a backslash', '\\api\\v1\\me', 400],
  ['another scheme', 'ftp://x/api/v1/me', 404],
];

export const MALFORMED_TARGETS: Malformed[] = TARGETS.map(([what, target, status]) => [
  what,
  status,
  (key) => Buffer.from(head(key, `GET ${target}`), 'latin1'),
]);

export const MALFORMED_HEADS: Malformed[] = [
  ['no version', 400, () => 'GET /api/v1/me\r\n\r\n'],
  ['version 2.0', 400, (key) => head(key, 'GET /api/v1/me').replace('HTTP/1.1', 'HTTP/2.0')],
  ['version 1.2', 400, (key) => head(key, 'GET /api/v1/me').replace('HTTP/1.1', 'HTTP/1.2')],
  ['the preface of HTTP/2', 400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['a method in lower case', 400, (key) => head(key, 'get /api/v1/me')],
  ['a host that is no name', 400, (key) => head(key, 'GET /api/v1/me').replace('Host: x', 'Host: a b<>/@')],
  ['2 100 headers', 400, (key) => head(key, 'GET /api/v1/me', 'a: b\r\n'.repeat(2_100))],
  ['a folded header', 400, (key) => head(key, 'GET /api/v1/me', 'X-A: b\r\n c\r\n')],
  ['a folded first header', 400, () => 'GET /api/v1/me HTTP/1.1\r\n Host: x\r\n\r\n'],
  ['a space before a colon', 400, (key) => `${head(key, 'POST /api/v1/programs', 'Content-Length : 2\r\n')}{}`],
  ['bare line feeds', 400, () => 'GET /api/v1/me HTTP/1.1\nHost: x\n\n'],
  ['a bare carriage return', 400, () => 'GET /api/v1/me HTTP/1.1\r\nHost: x\rX: y\r\n\r\n'],
];

const smuggled = 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\n\r\n';

/** The framing of the body is ambiguous or invalid: a proxy could read another request into it. */
export const AMBIGUOUS_BODIES: Malformed[] = [
  ['CL.TE', 400, (key) => `${chunked(key, '', 'Content-Length: 6\r\n')}0\r\n\r\n${smuggled}`],
  ['TE.CL', 400, (key) => `${chunked(key, '', 'Content-Length: 4\r\n')}28\r\n${smuggled}\r\n0\r\n\r\n`],
  ['two transfer encodings', 400, (key) => chunked(key, `0\r\n\r\n${smuggled}`, 'Transfer-Encoding: identity\r\n')],
  ['an unknown coding', 400, (key) => chunked(key, `0\r\n\r\n${smuggled}`).replace(': chunked', ': xchunked')],
  ['a coding after chunked', 400, (key) => chunked(key, `0\r\n\r\n${smuggled}`).replace(': chunked', ': chunked, identity')],
  ['a coding before chunked', 400, (key) => chunked(key, '2\r\n{}\r\n0\r\n\r\n').replace(': chunked', ': gzip, chunked')],
  ['a folded coding', 400, (key) => chunked(key, '0\r\n\r\n').replace(': chunked', ':\r\n chunked')],
  ['a space before the colon', 400, (key) => chunked(key, '0\r\n\r\n').replace(': chunked', ' : chunked')],
  ['chunks in HTTP/1.0', 400, (key) => chunked(key, '2\r\n{}\r\n0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0')],
  ['line feeds between chunks', 400, (key) => chunked(key, '2\n{}\n0\n\n')],
  ['a negative chunk', 400, (key) => chunked(key, '-2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk length beyond 64 bits', 400, (key) => chunked(key, 'fffffffffffffffff\r\n{}\r\n0\r\n\r\n')],
  ['a chunk extension of 20 kB', 400, (key) => chunked(key, `2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`)],
  ['trailers of 30 kB', 400, (key) => chunked(key, `2\r\n{}\r\n0\r\nX: ${'y'.repeat(30_000)}\r\n\r\n`)],
  ...['+2', '-1', '0x2', '2, 2', '9'.repeat(23)].map(
    (length): Malformed => [
      `Content-Length: ${length}`,
      400,
      (key) => `${head(key, 'POST /api/v1/programs', `Content-Length: ${length}\r\n`)}{}`,
    ],
  ),
  ['two equal lengths', 400, (key) => `${head(key, 'POST /api/v1/programs', 'Content-Length: 2\r\nContent-Length: 2\r\n')}{}`],
];
