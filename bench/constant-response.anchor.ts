import Fastify from 'fastify';

/** One answer for every request: a value that Fastify writes anew each time. */
const { ANSWER = '{}', PORT } = process.env;
const answer: unknown = JSON.parse(ANSWER);

const app = Fastify({ logger: false });
app.get('/ready', async () => 'ready');
app.get('*', async () => answer);
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
