import { domainToASCII } from 'node:url';
import { getPublicSuffix } from 'tldts';
import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** At least two labels, the last of which begins with a letter: no IP address. The name of the record is longer. */
const HOST = new RegExp(`^(?=.{4,200}$)(?:${LABEL}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`);
/** What ends a host in an address: the conversion would drop it, with everything behind. */
const BEYOND_HOST = /[/?#\\@:%[\]\s]/;
/** Names that nobody can own. */
const SPECIAL = /\.(?:localhost|local|internal|intranet|invalid|onion|arpa)$/;

const isWithin = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);

/** A host name as browsers send it: lower case, and in ASCII. 422 for what no program can have. */
export const portalHostOf = ({ settings }: Pick<Context, 'settings'>, text: string): string => {
  const name = text.trim().toLowerCase();
  const host = BEYOND_HOST.test(name) ? '' : domainToASCII(name);
  if (!HOST.test(host)) throw invalidField('host', 'must be the name of a host, such as partners.acme.example');
  if (SPECIAL.test(host) || getPublicSuffix(host, { allowPrivateDomains: true }) === host)
    throw invalidField('host', 'must be a name that can be registered');
  const own = new URL(settings.publicUrl).hostname;
  if (isWithin(host, own) || isWithin(own, host)) throw invalidField('host', 'must not be a name of this server');
  return host;
};
