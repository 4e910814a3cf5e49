import { operation } from '../../platform/http/operation.ts';
import { marketplaceProgramExample } from './marketplace.examples.ts';
import { listMarketplacePrograms } from './marketplace.queries.ts';
import { marketplaceProgramSchema, marketplaceQuery } from './marketplace.wire.ts';

export const marketplaceRoutes = [
  operation({
    id: 'listMarketplacePrograms',
    method: 'GET',
    path: '/marketplace/programs',
    tag: 'Marketplace',
    summary: 'List programs of the marketplace',
    description:
      'Returns programs that are active, public and ready. Changes of a program show at once, its figures and its readiness after a minute or so. Figures of programs with different currencies are compared without conversion.',
    access: { keys: ['affiliate'], scope: 'marketplace:read' },
    query: marketplaceQuery,
    paged: true,
    reply: marketplaceProgramSchema,
    example: { data: [marketplaceProgramExample] },
    handle: ({ ctx, query }) => listMarketplacePrograms(ctx, query),
  }),
];
