import { z } from 'zod';
import { type PublicReply, type PublicRoute, publicRoute } from '../../platform/http/public-route.ts';
import { findWord } from './browser-script/shared-links.ts';
import { etagOf, getScript } from './script.queries.ts';

const toReply = (text: string | null): PublicReply => ({
  kind: 'text',
  status: text === null ? 404 : 200,
  contentType: 'application/javascript; charset=utf-8',
  text: text ?? '// There is no program with this id.\n',
  ...(text === null ? {} : { etag: etagOf(text) }),
});

export const scriptRoutes: PublicRoute[] = [
  publicRoute({
    id: 'getScript',
    method: 'GET',
    path: '/script.js',
    tag: 'Tracking',
    summary: 'Load the tracking script',
    description:
      "For the `src` of a script element on the pages of the program's website. The configuration of the program is part of the script, and a change of it arrives within a minute. The script of a paused or archived program stores nothing.",
    query: z.object({ pid: z.string().max(2_048).describe('Id of the program') }),
    unreadable: toReply(null),
    limiter: 'script',
    cors: 'any',
    cache: 'public, max-age=60',
    errors: ['BAD_REQUEST'],
    responses: {
      200: { description: 'The script', contentType: 'application/javascript' },
      304: { description: 'The script has not changed' },
      404: { description: 'There is no such program: a comment', contentType: 'application/javascript' },
    },
    handle: async ({ ctx, query }) => toReply(await getScript(ctx, findWord(query.pid) ?? '')),
  }),
];
