import { listConversions } from '../src/domains/conversions/conversions.queries.ts';
import { conversionSchema } from '../src/domains/conversions/conversions.wire.ts';
import { responseWriter } from '../src/platform/http/validate.ts';
import { options } from './support/options.ts';
import { median, report } from './support/report.ts';
import { compareRates } from './support/rounds.ts';
import { prepareList, withStack } from './support/stack.ts';

/** Pages between two readings of the clock. */
const BATCH = 500;

/** P3: the CPU time for writing a list of 20 rows, checked against its schema, against `JSON.stringify` of the same rows. */
await withStack(async (stack) => {
  const { env } = await prepareList(stack);
  const merchantId = env.MERCHANT_ID;
  const caller = { kind: 'key', keyId: merchantId, keyType: 'merchant', ownerId: merchantId, scopes: [] } as const;
  const { items } = await listConversions(stack.runtime.context(caller), merchantId, { limit: 20 });
  const write = responseWriter(conversionSchema.array());
  if (write(items) !== JSON.stringify(items)) throw new Error('both must write the same text');

  const measure = (toText: (value: unknown) => string) => async () => {
    const end = performance.now() + options.seconds * 1_000;
    const since = performance.now();
    const before = process.cpuUsage();
    let pages = 0;
    for (; performance.now() < end; pages += BATCH) for (let n = 0; n < BATCH; n++) toText(items);
    const { user, system } = process.cpuUsage(before);
    return { perSecond: (pages * 1_000) / (performance.now() - since), cpuMicros: (user + system) / pages };
  };
  const [ours, anchor] = [measure(write), measure(JSON.stringify)];
  await ours();
  await anchor();
  const { pairs } = await compareRates(ours, anchor);
  report({
    name: 'P3',
    what: 'a list of 20 rows written and checked against its schema, against JSON.stringify',
    unit: 'µs CPU',
    floor: 1.6,
    goal: 1.15,
    lowerIsBetter: true,
    ours: median(pairs.map((pair) => pair.ours.cpuMicros)),
    anchor: median(pairs.map((pair) => pair.anchor.cpuMicros)),
    ratio: median(pairs.map((pair) => pair.ours.cpuMicros / pair.anchor.cpuMicros)),
    samples: pairs.map((pair) => ({ ours: pair.ours.cpuMicros, anchor: pair.anchor.cpuMicros })),
    more: { bytes: write(items).length },
  });
});
