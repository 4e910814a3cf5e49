interface Source {
  url: string;
  headers: readonly Record<string, string>[];
}

const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, shapeOf(held)]));
};

export const fetchText = async ({ url, headers }: Source): Promise<string> => {
  const response = await fetch(url, { headers: headers[0] ?? {} });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${text}`);
  return text;
};

/** Throws unless both responses have the same fields, the same data and almost the same length; otherwise the comparison would be unfair. */
export const assertSameShape = async (ours: Source, anchor: Source): Promise<void> => {
  const [a, b] = [await fetchText(ours), await fetchText(anchor)];
  const [one, two] = [JSON.parse(a), JSON.parse(b)];
  const same =
    JSON.stringify(one.data) === JSON.stringify(two.data) &&
    JSON.stringify(shapeOf(one)) === JSON.stringify(shapeOf(two)) &&
    Math.abs(a.length - b.length) <= 8;
  if (!same)
    throw new Error(
      `The response of the anchor differs (${a.length} and ${b.length} bytes):\n${a.slice(-400)}\n${b.slice(-400)}`,
    );
};
