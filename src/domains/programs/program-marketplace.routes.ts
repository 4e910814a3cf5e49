import { operation } from '../../platform/http/operation.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { programMarketplaceSchema, toProgramMarketplace, updateProgramMarketplaceBody } from './program-marketplace.wire.ts';
import { programMarketplaceExample } from './programs.examples.ts';
import { updateProgramMarketplace } from './use-cases/update-program-marketplace.ts';

export const programMarketplaceRoutes = [
  operation({
    id: 'updateProgramMarketplace',
    method: 'PATCH',
    path: '/programs/{id}/marketplace',
    tag: 'Programs',
    summary: "Update a program's entry in the marketplace",
    description:
      'Fields that are left out stay unchanged. They are the `marketplace…` fields of the program. A program is listed while it is active, its status here is `public`, and its readiness is `ready`.',
    access: { keys: ['merchant'], scope: 'programs:write' },
    params: idParams,
    body: updateProgramMarketplaceBody,
    reply: programMarketplaceSchema,
    example: programMarketplaceExample,
    handle: async ({ ctx, params, body }) =>
      toProgramMarketplace(await updateProgramMarketplace(ctx, { id: params.id, changes: body })),
  }),
];
