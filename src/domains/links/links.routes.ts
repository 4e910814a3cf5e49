import { z } from 'zod';
import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { createdAffiliateLinkExample, createdLinkExample, linkExample, updatedLinkExample } from './links.examples.ts';
import { listAffiliateLinks, listLinks } from './links.queries.ts';
import {
  checkedProgramQuery,
  createAffiliateLinkBody,
  createLinkBody,
  linkSchema,
  ownProgramQuery,
  toNewLink,
  updateLinkBody,
} from './links.wire.ts';
import { createAffiliateLink, createLink, deleteLink, updateLink } from './use-cases/link.ts';

const read = { tag: 'Me', access: { keys: ['affiliate'], scope: 'links:read', embed: true }, query: ownProgramQuery } as const;
const write = { tag: 'Me', access: { keys: ['affiliate'], scope: 'links:write' }, query: ownProgramQuery } as const;
const change = { ...write, params: idParams, query: checkedProgramQuery } as const;

const ofAffiliate = (scope: 'affiliates:read' | 'affiliates:manage') =>
  ({ tag: 'Affiliates', access: { keys: ['merchant'], scope }, params: idParams }) as const;

export const linkRoutes = [
  operation({
    ...ofAffiliate('affiliates:read'),
    id: 'listAffiliateLinks',
    method: 'GET',
    path: '/affiliates/{id}/links',
    summary: 'List the tracking links of an affiliate',
    description: 'Returns the links of one of your affiliates, newest first, without pagination. At most 100.',
    reply: z.array(linkSchema),
    example: { data: [linkExample] },
    handle: ({ ctx, params }) => listAffiliateLinks(ctx, params.id),
  }),
  operation({
    ...ofAffiliate('affiliates:manage'),
    id: 'createAffiliateLink',
    method: 'POST',
    path: '/affiliates/{id}/links',
    summary: 'Create a tracking link for an affiliate',
    description:
      'The link is one of the affiliate: they see it, change it and delete it. The limits are those of `POST /me/links`.',
    body: createAffiliateLinkBody,
    reply: linkSchema,
    status: 201,
    reasons: ['AFFILIATE_BLOCKED', 'CODE_TAKEN', 'TOO_MANY_LINKS'],
    example: createdAffiliateLinkExample,
    handle: ({ ctx, params, body }) => createAffiliateLink(ctx, { ...body, affiliateId: params.id }),
  }),
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
    access: { ...write.access, domain: true },
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
    description:
      'Fields that are left out stay unchanged. The code of the first link changes with yours (`PATCH /me/code`); that of other links cannot be changed.',
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
