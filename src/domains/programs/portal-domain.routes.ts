import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { setPortalDomainBody } from './portal-domain.wire.ts';
import { programPortalSchema, toProgramPortal } from './program-portal.wire.ts';
import { portalDomainExample } from './programs.examples.ts';
import { findDomainRecord, removePortalDomain, setPortalDomain, verifyPortalDomain } from './use-cases/portal-domain.ts';

const write = {
  tag: 'Programs',
  access: { keys: ['merchant'], scope: 'programs:write' },
  // Whoever decides on the domain gets what affiliates enter there.
  freshCheck: 'code',
  params: idParams,
  reply: programPortalSchema,
} as const;

export const portalDomainRoutes = [
  operation({
    ...write,
    id: 'setPortalDomain',
    method: 'PUT',
    path: '/programs/{id}/portal/domain',
    summary: 'Set the domain of the pages of a program',
    description:
      'Returns the DNS record that proves that the name is yours. Until it is verified, nothing is shown there. Another domain of the program ends at once.',
    body: setPortalDomainBody,
    example: portalDomainExample,
    handle: async ({ ctx, params, body }) => toProgramPortal(ctx, await setPortalDomain(ctx, { ...body, id: params.id })),
  }),
  operation({
    ...write,
    id: 'verifyPortalDomain',
    method: 'POST',
    path: '/programs/{id}/portal/domain/verify',
    access: { keys: ['merchant'], scope: 'merchant:manage' },
    summary: 'Verify the domain of the pages of a program',
    description:
      'Looks for the record of the domain. Once it was found, the pages of the program are shown there, and links in mails lead there. Each domain is one of one program.',
    reasons: ['DNS_UNAVAILABLE', 'DOMAIN_NOT_VERIFIED', 'DOMAIN_TAKEN'],
    example: { data: portalDomainExample.data },
    prepare: ({ ctx, params }) => findDomainRecord(ctx, params),
    handle: async ({ ctx, params, prepared }) =>
      toProgramPortal(ctx, await verifyPortalDomain(ctx, { id: params.id, found: prepared })),
  }),
  operation({
    ...write,
    id: 'removePortalDomain',
    method: 'DELETE',
    path: '/programs/{id}/portal/domain',
    summary: 'Remove the domain of the pages of a program',
    description: 'The pages are shown under the name of this server only. The record can be deleted.',
    example: { data: { ...portalDomainExample.data, domain: null } },
    handle: async ({ ctx, params }) => toProgramPortal(ctx, await removePortalDomain(ctx, params)),
  }),
];
