import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { DoubleOAuth } from './oauth.ts';
import type { DoubleSettlement } from './settlement.ts';
import type { DoubleStore } from './store.ts';
import { batchView, itemView } from './views.ts';

const accountChange = z.strictObject({
  balances: z.record(z.string().regex(/^[A-Z]{3}$/), z.string().regex(/^\d{1,12}(\.\d{1,2})?$/)).optional(),
  scopes: z.array(z.string().max(200)).max(50).optional(),
});
const itemChange = z.strictObject({ state: z.string().max(100), reason: z.string().max(100).nullable().default(null) });

/** What people at PayPal would do, and what its website shows. PayPal has no such routes. */
export const addControlRoutes = (
  server: FastifyInstance,
  { store, oauth, settlement }: { store: DoubleStore; oauth: DoubleOAuth; settlement: DoubleSettlement },
): void => {
  const accountOf = (params: unknown) => oauth.open((params as { id: string }).id);

  server.get('/double/accounts/:id', async ({ params }) => accountOf(params));
  server.patch('/double/accounts/:id', async ({ params, body }) => {
    const { balances, scopes } = accountChange.parse(body);
    const account = accountOf(params);
    const changed = { ...account, balances: { ...account.balances, ...balances }, scopes: scopes ?? account.scopes };
    store.saveAccount(changed);
    return changed;
  });
  server.post('/double/accounts/:id/revoke-tokens', async ({ params }, reply) => {
    oauth.revoke((params as { id: string }).id);
    return reply.code(204).send();
  });
  server.get('/double/batches', async ({ query }) => {
    const { account, sender_item_id: item } = query as { account?: string; sender_item_id?: string };
    const batches = [...store.batches.values()].filter(
      (batch) => (account ?? batch.account) === batch.account && (item ?? batch.item.senderItemId) === batch.item.senderItemId,
    );
    return { batches: batches.map((batch) => ({ ...batchView(batch), item: itemView(batch) })) };
  });
  server.patch('/double/items/:id', async ({ params, body }, reply) => {
    const batch = store.findByItem((params as { id: string }).id);
    if (!batch) return reply.code(404).send();
    const { state, reason } = itemChange.parse(body);
    return itemView(settlement.move(batch, state, reason));
  });
};
