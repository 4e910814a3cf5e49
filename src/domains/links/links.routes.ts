import { z } from 'zod';
import { type Operation, operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { createdLinkExample, linkExample, updatedLinkExample } from './links.examples.ts';
import { listLinks } from './links.queries.ts';
import { checkedProgramQuery, createLinkBody, linkSchema, ownProgramQuery, toNewLink, updateLinkBody } from './links.wire.ts';
import { createLink } from './use-cases/create-link.ts';
import { deleteLink } from './use-cases/delete-link.ts';
import { updateLink } from './use-cases/update-link.ts';

const read = { tag: 'Me', access: { keys: ['affiliate'], scope: 'links:read' }, query: ownProgramQuery } as const;
const write = { tag: 'Me', access: { keys: ['affiliate'], scope: 'links:write' }, query: ownProgramQuery } as const;
const change = { ...write, params: idParams, query: checkedProgramQuery } as const;

export const linkRoutes: Operation[] = [
  operation({
    ...read,
    id: 'listLinks',
    method: 'GET',
    path: '/me/links',
    summary: 'List your tracking links',
    description: 'Returns your links in one program, newest first, without pagination. At most 100.',
    reply: z.array(linkSchema),
    example: { data: [linkExample] },
    handle: ({ ctx, query }) => listLinks(ctx, { programId: query.program_id }),
  }),
  operation({
    ...write,
    id: 'createLink',
    method: 'POST',
    path: '/me/links',
    summary: 'Create a tracking link',
    description:
      'A code that you do not choose is random. Codes are unique in the installation and are never given to anybody else. At most 100 links per program.',
    body: createLinkBody,
    reply: linkSchema,
    status: 201,
    errors: ['NOT_FOUND'],
    reasons: ['AFFILIATE_BLOCKED', 'CODE_TAKEN', 'TOO_MANY_LINKS'],
    example: createdLinkExample,
    handle: ({ ctx, query, body }) => createLink(ctx, toNewLink(query, body)),
  }),
  operation({
    ...change,
    id: 'updateLink',
    method: 'PATCH',
    path: '/me/links/{id}',
    summary: 'Update a tracking link',
    description: 'Fields that are left out stay unchanged. The code cannot be changed.',
    body: updateLinkBody,
    reply: linkSchema,
    reasons: ['AFFILIATE_BLOCKED'],
    example: updatedLinkExample,
    handle: ({ ctx, params, query, body }) => updateLink(ctx, { id: params.id, programId: query.program_id, changes: body }),
  }),
  operation({
    ...change,
    id: 'deleteLink',
    method: 'DELETE',
    path: '/me/links/{id}',
    summary: 'Delete a tracking link',
    description: 'Its clicks stop counting. Sales that name its code are still credited to you.',
    reply: linkSchema,
    reasons: ['AFFILIATE_BLOCKED'],
    example: { data: { ...linkExample, isActive: false } },
    handle: ({ ctx, params, query }) => deleteLink(ctx, { id: params.id, programId: query.program_id }),
  }),
];
