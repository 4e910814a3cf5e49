import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { createBodyLimits } from './body-limits.ts';
import { type ConnectionDeadlines, limitConnections } from './connection-limits.ts';
import { LIMITS } from './limits.ts';
import { countedAs, createLoadShedder, isDropped, type LoadShedder } from './load-shedding.ts';
import { type EnterTransfer, limitTransfers } from './transfers.ts';

declare module 'fastify' {
  interface FastifyInstance {
    hardening: {
      deadlines: ConnectionDeadlines;
      loadShedder: LoadShedder;
      enterTransfer: EnterTransfer;
      enterExport: EnterTransfer;
    };
  }
}

export interface HardeningOptions {
  /** Identifies the caller and rejects the request by its head, before its body is received. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Whether the request counts as one in flight. */
  isCounted(request: FastifyRequest): boolean;
}

/** Applies the limits of connections, bodies and requests to every route; routes of files enter their transfers themselves. */
export const hardening: FastifyPluginCallback<HardeningOptions> = (app, { admit, isCounted }, done) => {
  const bodies = createBodyLimits();
  const loadShedder = createLoadShedder();
  app.decorate('hardening', {
    deadlines: limitConnections(app.server),
    loadShedder,
    enterTransfer: limitTransfers(),
    enterExport: limitTransfers(LIMITS.exports),
  });
  app.addHook('onRequest', async (request, reply) => {
    // Parsed together with others of a connection that went over a limit: nobody reads a response to it.
    if (isDropped(reply)) return;
    await admit(request, reply);
    if (!request.routeOptions.config.isTransfer) bodies.receive(request, reply, request.caller?.ownerId ?? request.address);
  });
  app.addHook('preHandler', async (request, reply) =>
    isCounted(request) ? loadShedder.enter(reply, countedAs(request)) : undefined,
  );
  app.addHook('onSend', async (request) => loadShedder.leave(request));
  done();
};
// Its hooks and decorators are for the whole server, not for a scope of its own.
Object.assign(hardening, { [Symbol.for('skip-override')]: true });
