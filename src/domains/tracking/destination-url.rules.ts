/** Parameters of the pages of a website, read by the script. */
const CODE_PARAMETER = 'via';
const TOKEN_PARAMETER = 'agentref_cid';

export const OWN_PARAMETERS: readonly string[] = [CODE_PARAMETER, TOKEN_PARAMETER];
const MAX_PARAMETERS = 20;
const MAX_LENGTH = 1_024;

/**
 * The stored destination with the code, the token and the query of the link. Parameters of the destination itself stay as
 * they are; of the link's, as many as fit are added. Null when the destination is no web page.
 */
export const destinationUrl = (
  destination: string,
  added: { query: URLSearchParams; code: string | null; token: string | null },
): string | null => {
  const url = URL.parse(destination);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  for (const name of OWN_PARAMETERS) url.searchParams.delete(name);
  const kept = new Set(url.searchParams.keys());
  let length = 0;
  for (const [name, value] of [...added.query].slice(0, MAX_PARAMETERS)) {
    length += name.length + value.length;
    if (length > MAX_LENGTH) break;
    if (!OWN_PARAMETERS.includes(name) && !kept.has(name)) url.searchParams.append(name, value);
  }
  if (added.code !== null) url.searchParams.set(CODE_PARAMETER, added.code);
  if (added.token !== null) url.searchParams.set(TOKEN_PARAMETER, added.token);
  return url.href;
};
