import { getPublicSuffix } from 'tldts';
import type { Context } from '../../platform/context.ts';
import { invalidField } from '../../platform/errors.ts';
import { hostNameOf } from '../../platform/host-name.ts';

/** The name of the record that proves the domain is longer. */
const MAX_LENGTH = 200;
/** Names that nobody can own. */
const SPECIAL = /\.(?:localhost|local|internal|intranet|invalid|onion|arpa)$/;

const isWithin = (name: string, domain: string): boolean => name === domain || name.endsWith(`.${domain}`);

/** A host name as browsers send it: lower case, and in ASCII. 422 for what no program can have. */
export const portalHostOf = ({ settings }: Pick<Context, 'settings'>, text: string): string => {
  const host = hostNameOf(text);
  if (host === null || host.length > MAX_LENGTH)
    throw invalidField('host', 'must be the name of a host, such as partners.acme.example');
  if (SPECIAL.test(host) || getPublicSuffix(host, { allowPrivateDomains: true }) === host)
    throw invalidField('host', 'must be a name that can be registered');
  const own = new URL(settings.publicUrl).hostname;
  if (isWithin(host, own) || isWithin(own, host)) throw invalidField('host', 'must not be a name of this server');
  return host;
};
