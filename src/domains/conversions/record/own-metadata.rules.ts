import { isBlank, isEmptyList, LenientValue, shownStart } from '../../../platform/http/lenient.ts';
import { line, MAX_METADATA_BYTES, MAX_METADATA_KEYS, paragraph } from '../../../platform/http/schemas.ts';

const key = line(100);
const value = paragraph(MAX_METADATA_BYTES);

/** Null for an entry that cannot be stored. Numbers and booleans become text. */
const readEntry = (name: string, given: unknown): [string, string] | null => {
  const text = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given;
  const [readName, readText] = [key.safeParse(name), value.safeParse(text)];
  return readName.success && readText.success ? [readName.data, readText.data] : null;
};

interface KeptMetadata {
  kept: Record<string, string>;
  /** Names of entries that cannot be stored, or are too many. */
  dropped: readonly string[];
}

/** The first entries, as many as a sale stores. Those without a value are as if left out. */
const keepMetadata = (given: object): KeptMetadata => {
  const entries = Object.entries(given).filter(([, entry]) => entry !== null);
  const dropped = entries.slice(MAX_METADATA_KEYS).map(([name]) => name);
  const kept: [string, string][] = [];
  for (const [name, entry] of entries.slice(0, MAX_METADATA_KEYS)) {
    const read = readEntry(name, entry);
    const isKept = read !== null && Buffer.byteLength(JSON.stringify(Object.fromEntries([...kept, read]))) <= MAX_METADATA_BYTES;
    if (isKept) kept.push(read);
    else dropped.push(name);
  }
  return { kept: Object.fromEntries(kept), dropped };
};

const MAX_NAMED = 3;
const MAX_NAME = 30;

/** What a sale event brings as its metadata. Nothing in it refuses the sale: what cannot be stored is reported. */
export const readMetadata = (given: unknown): LenientValue<Record<string, string>> | undefined => {
  if (isBlank(given) || isEmptyList(given)) return undefined;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return new LenientValue<Record<string, string>>(undefined, { value: null });
  const { kept, dropped } = keepMetadata(given);
  const names = dropped.slice(0, MAX_NAMED).map((name) => name.slice(0, MAX_NAME));
  return new LenientValue(kept, dropped.length === 0 ? null : { value: shownStart(names.join(', ')) });
};
