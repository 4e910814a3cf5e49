import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { getProgramPortal } from './program-portal.queries.ts';
import { programPortalSchema, toProgramPortal, updateProgramPortalBody } from './program-portal.wire.ts';
import { programPortalExample } from './programs.examples.ts';
import { updateProgramPortal } from './use-cases/update-program-portal.ts';

const portal = { tag: 'Programs', params: idParams, reply: programPortalSchema } as const;

export const programPortalRoutes = [
  operation({
    ...portal,
    id: 'getProgramPortal',
    method: 'GET',
    path: '/programs/{id}/portal',
    summary: 'Retrieve how the pages of a program look',
    description: 'Their name, color and logo, and the address of the page on which people join the program.',
    access: { keys: ['merchant'], scope: 'programs:read' },
    example: { data: programPortalExample.data },
    handle: async ({ ctx, params }) => toProgramPortal(ctx, await getProgramPortal(ctx, params.id)),
  }),
  operation({
    ...portal,
    id: 'updateProgramPortal',
    method: 'PATCH',
    path: '/programs/{id}/portal',
    summary: 'Update how the pages of a program look',
    description:
      'Name, color and logo of the pages on which people join the program, of those that show an affiliate one program, and of embedded pages. Fields that are left out stay unchanged. Affiliates get them as `portalName`, `portalTheme` and `portalLogo` of their programs.',
    access: { keys: ['merchant'], scope: 'programs:write' },
    body: updateProgramPortalBody,
    example: programPortalExample,
    handle: async ({ ctx, params, body }) =>
      toProgramPortal(ctx, await updateProgramPortal(ctx, { id: params.id, changes: body })),
  }),
];
