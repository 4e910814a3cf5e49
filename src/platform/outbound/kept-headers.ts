export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers that help to find out what a receiver did. All others may hold credentials or personal data. */
const KEPT = new Set([
  'allow',
  'cf-ray',
  'connection',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'retry-after',
  'server',
  'transfer-encoding',
  'via',
  'x-amzn-requestid',
  'x-correlation-id',
  'x-request-id',
]);

const MAX_VALUE_CHARS = 1_000;

/** The kept headers in lower case, with repeated ones joined. Of `location`, credentials, query and fragment are left out. */
export const keptHeaders = (headers: ResponseHeaders): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = [value ?? []].flat().join(', ').slice(0, MAX_VALUE_CHARS);
    if (KEPT.has(name)) kept[name] = text;
    if (name === 'location') kept[name] = text.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*@/i, '$1//');
  }
  return kept;
};
