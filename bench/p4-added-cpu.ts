import { startAnchor, startApi } from './support/http.ts';
import { measure, send } from './support/load.ts';
import { options } from './support/options.ts';
import { median, report, rounded } from './support/report.ts';
import { inTurns } from './support/rounds.ts';
import { ask } from './support/same.ts';
import { makeCallers, makeMerchant, withStack } from './support/stack.ts';

/**
 * P4: CPU that key, scope, limit and headers add to a request. `GET /meta` asks no database, so called with a key it is
 * little else. Its access is public, so the one step missing is the look for the scope in the key's set. Without the log line, which
 * is no part of this figure: the same with it stands beside it.
 */
await withStack(async ({ env, runtime }, started) => {
  const headers = await makeCallers(runtime, await makeMerchant(runtime), 50);
  const silent = started(await startApi({ ...env, LOG_LEVEL: 'warn' }, 'api-silent'));
  const logging = started(await startApi(env));
  const loadOf = (server: { url: string }) =>
    ({ url: `${server.url}/api/v1/meta`, method: 'GET', connections: 50, headers }) as const;
  const anchor = started(await startAnchor('constant-anchor.ts', { ...env, ANSWER: await ask(loadOf(silent)) }));
  const run = (server: typeof anchor) => () => measure(server, { ...loadOf(server), seconds: options.seconds });
  for (const server of [silent, logging, anchor]) await send({ ...loadOf(server), seconds: options.warmUpSeconds });
  const withLog: number[] = [];
  const ours = async () => {
    withLog.push((await run(logging)()).cpuMicros);
    return run(silent)();
  };
  const pairs = await inTurns(
    ours,
    run(anchor),
    (pair) => `${rounded(pair.ours.cpuMicros)} µs against ${rounded(pair.anchor.cpuMicros)} µs`,
  );
  const bare = median(pairs.map((pair) => pair.anchor.cpuMicros));
  report({
    name: 'P4',
    what: 'CPU added by key, scope, limit and headers, over a hello route with the same bytes',
    unit: 'µs CPU',
    floor: 25,
    goal: 14,
    lowerIsBetter: true,
    ours: median(pairs.map((pair) => pair.ours.cpuMicros)),
    anchor: bare,
    ratio: median(pairs.map((pair) => pair.ours.cpuMicros - pair.anchor.cpuMicros)),
    samples: pairs.map((pair) => ({ ours: rounded(pair.ours.cpuMicros), anchor: rounded(pair.anchor.cpuMicros) })),
    more: { 'added with the log line': median(withLog) - bare },
  });
});
