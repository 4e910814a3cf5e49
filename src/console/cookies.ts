import type { CookieSerializeOptions } from '@fastify/cookie';

export interface Cookie {
  value: string;
  /** Left out: until the browser ends. */
  maxAgeSeconds?: number;
}

/** By name; null removes the cookie. */
export type Cookies = Readonly<Record<string, Cookie | null>>;

export interface CookieRules {
  /** The name that the browser sees. */
  nameOf(name: string): string;
  options: CookieSerializeOptions;
}

/**
 * Behind TLS, no other host and no page without TLS can set or overwrite them (`__Host-`). Cookies ignore ports: over http the port is
 * in the name, so that two local systems do not log each other out.
 */
export const cookieRules = (publicUrl: string): CookieRules => {
  const { protocol, port } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  const options = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
  return {
    nameOf: (name) => (isSecure ? `__Host-tributary_${name}` : `tributary_${name}_${port === '' ? '80' : port}`),
    options,
  };
};
