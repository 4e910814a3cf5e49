import Fastify from 'fastify';

/** The same response for every request: a constant that Fastify serializes each time. */
const { RESPONSE = '{}', PORT } = process.env;
const response: unknown = JSON.parse(RESPONSE);

const app = Fastify({ logger: false });
app.get('/ready', async () => 'ready');
app.get('*', async () => response);
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
