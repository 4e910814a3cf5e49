import type { Actor, ProgramSite } from '../platform/context.ts';
import type { Logger } from '../platform/logger.ts';
import type { Brand } from './brand.ts';

/** A request of a browser, as far as a session can be read from it. */
export interface BrowserRequest {
  /** Reads a cookie by its name without the prefix. */
  cookie(name: string): string | undefined;
  address: string;
  userAgent: string;
  path: string;
  /** The site whose domain was used; left out or null for the name of this server. */
  site?: ProgramSite | null;
  log: Logger;
}

/** What a person acts as: for a merchant, or for their affiliate profile. */
export interface ActingAs {
  actor: Actor;
  /** Id of the merchant or the profile. */
  ownerId: string;
  /** Who it is, for the head of the page. */
  name: string;
  /** The merchant's time zone; left out for an affiliate, who may be paid by several merchants. */
  timeZone?: string;
  /** Requests per minute. */
  perMinute: number;
}

/** Who is signed in with a browser. */
export interface PersonSession {
  personId: string;
  sessionId: string;
  name: string;
  /** Such as `de-AT`; null: that of the browser. */
  locale: string | null;
  /** Such as `Europe/Vienna`; null: that of the company. */
  timezone: string | null;
  /** When their passkeys no longer count, unless they keep them. */
  passkeysEndAt?: Date | null;
  merchant: ActingAs | null;
  affiliate: ActingAs | null;
  /** Brand of the portal's pages: that of the only program they are in, if it has one of its own. */
  brand?: Brand | undefined;
}

export interface Sessions {
  /** Null without a session that is valid now: expired, revoked and forged ones are none. */
  read(request: BrowserRequest): Promise<PersonSession | null>;
}

/** A page inside an app of a merchant: its token stands in for a person. */
export interface EmbedSession {
  token: string;
  merchantId: string;
  /** Null: the token has ended. */
  acting: ActingAs | null;
  /** Whose page it is. */
  brand: Brand;
  /** Origins that may show it in a frame. */
  frames: readonly string[];
}

export interface Embeds {
  /** Null for a token that is none. */
  read(token: string, log: Logger): Promise<EmbedSession | null>;
}

/** No page is embedded. */
export const noEmbeds: Embeds = { read: async () => null };

/** Nobody is signed in. */
export const noSessions: Sessions = { read: async () => null };
