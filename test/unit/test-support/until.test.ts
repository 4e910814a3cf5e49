import { pause, until } from '../../support/until.ts';

const now = Date.now;
afterEach(() => {
  Date.now = now;
});

/** The time is over once the value was read this often. */
const overAfter = (reads: number) => {
  let count = 0;
  return () => {
    if (++count === reads) Date.now = () => now() + 3_600_000;
    return { count, status: 'pending' };
  };
};

it('returns the first value that is as expected', async () => {
  const values = [1, 2, 3, 4];
  expect(
    await until(
      'it is above 2',
      () => values.shift() ?? 0,
      (value) => value > 2,
    ),
  ).toBe(3);
  expect(values).toEqual([4]);
});

it('waits for a value that is truthy, when nothing else is said', async () => {
  const values = [null, '', 'found'];
  expect(await until('it is found', async () => values.shift())).toBe('found');
});

it('says what it waited for, the last value and where, when the time is over', async () => {
  const read = overAfter(2);
  const waitForPayout = () => until('the payout is completed', read, ({ status }) => status === 'completed');
  const error = await waitForPayout().catch((thrown: Error) => thrown);
  expect(error).toBeInstanceOf(Error);
  const { message, stack } = error as Error;
  expect(message).toBe("Timed out waiting until the payout is completed. Last value: { count: 2, status: 'pending' }");
  expect(stack?.split('\n').slice(0, 2)).toEqual([
    `Error: ${message}`,
    expect.stringMatching(/waitForPayout .*until\.test\.ts\S*:\d+/),
  ]);
});

it('shows the beginning of a long value, and one that is no JSON', async () => {
  const long = { count: 1n, text: 'x'.repeat(100_000) };
  const read = () => {
    Date.now = () => now() + 3_600_000;
    return long;
  };
  await expect(until('it is short', read, () => false)).rejects.toThrow(/Last value: \{\n? *count: 1n,.{0,40}x{1000,2000}$/s);
});

it('an error while reading ends it at once', async () => {
  let reads = 0;
  const read = async () => {
    reads++;
    throw new Error('no connection');
  };
  await expect(until('it is read', read)).rejects.toThrow('no connection');
  expect(reads).toBe(1);
});

it('a pause resolves with its reason', async () => {
  const first = await Promise.race([new Promise<string>(() => {}), pause(1, 'nothing came')]);
  expect(first).toBe('nothing came');
});
