import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { PAGE_HEADERS } from '../api/pipeline/security-headers.ts';

/** A file that pages load. Its address changes with its content. */
export interface Asset {
  url: string;
  type: string;
  bytes: Buffer;
  gzip: Buffer;
  etag: string;
}

const PREFIX = '/assets';
const TYPES = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8', svg: 'image/svg+xml' } as const;
type Extension = keyof typeof TYPES;

const assets = new Map<string, Asset>();

/** Registers a file under a name: `console.css` is served as `/assets/console-<hash>.css`. */
export const asset = (name: `${string}.${Extension}`, bytes: Buffer): Asset => {
  const [stem = '', extension = 'js'] = name.split('.') as [string, Extension];
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 12).replaceAll('-', '_');
  const made: Asset = {
    url: `${PREFIX}/${stem}-${hash}.${extension}`,
    type: TYPES[extension],
    bytes,
    gzip: gzipSync(bytes, { level: 9 }),
    etag: `"${hash}"`,
  };
  assets.set(`${stem}.${extension}`, made);
  return made;
};

const ownFile = (name: string): Buffer => readFileSync(new URL(name, import.meta.url));
/** Reads a file of a package as it was published. */
const packageFile = (path: string): Buffer => readFileSync(createRequire(import.meta.url).resolve(path));

export const STYLE = asset('console.css', ownFile('console.css'));
export const SCRIPT = asset('console.js', ownFile('console.js'));
export const HTMX = asset('htmx.js', packageFile('htmx.org/dist/htmx.min.js'));

const FILE = /^(?<stem>[a-z-]+?)-(?<hash>[\w]{12})\.(?<extension>[a-z]+)$/;
const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/** While versions are replaced, a page of one asks the other for its files: it gets what there is, for this once. */
export const mountAssets = (app: FastifyInstance): void => {
  app.get<{ Params: { file: string } }>(`${PREFIX}/:file`, async (request, reply) => {
    const { stem, extension } = FILE.exec(request.params.file)?.groups ?? {};
    const found = assets.get(`${stem}.${extension}`);
    if (!found) return reply.callNotFound();
    const isCurrent = found.url === `${PREFIX}/${request.params.file}`;
    reply.headers({
      ...PAGE_HEADERS,
      'cache-control': isCurrent ? IMMUTABLE : 'no-cache',
      'content-type': found.type,
      etag: found.etag,
      vary: 'Accept-Encoding',
    });
    if (request.headers['if-none-match'] === found.etag) return reply.code(304).send();
    if (!ACCEPTS_GZIP.test(String(request.headers['accept-encoding']))) return reply.send(found.bytes);
    return reply.header('content-encoding', 'gzip').send(found.gzip);
  });
};
