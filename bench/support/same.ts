interface Asked {
  url: string;
  headers: readonly Record<string, string>[];
}

const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, shapeOf(held)]));
};

export const ask = async ({ url, headers }: Asked): Promise<string> => {
  const answer = await fetch(url, { headers: headers[0] ?? {} });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}: ${text}`);
  return text;
};

/** An anchor that answers less than we do would flatter nobody but itself: same fields, same data, same length. */
export const assertSameShape = async (ours: Asked, anchor: Asked): Promise<void> => {
  const [a, b] = [await ask(ours), await ask(anchor)];
  const [one, two] = [JSON.parse(a), JSON.parse(b)];
  const same =
    JSON.stringify(one.data) === JSON.stringify(two.data) &&
    JSON.stringify(shapeOf(one)) === JSON.stringify(shapeOf(two)) &&
    Math.abs(a.length - b.length) <= 8;
  if (!same)
    throw new Error(
      `The anchor does not answer as we do (${a.length} and ${b.length} bytes):\n${a.slice(-400)}\n${b.slice(-400)}`,
    );
};
