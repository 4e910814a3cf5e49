/** What the server puts into the script of a program. */
export interface ScriptConfig {
  programId: string;
  clickUrl: string;
  /** Pages on this host and its subdomains are tracked. Null: none, because the program has no website. */
  websiteDomain: string | null;
  cookieDays: number;
  consentRequired: boolean;
  /** Names of the URL parameters that carry a referral code; the first that is present counts. */
  parameters: readonly string[];
  /** False for a paused or archived program: its script stores nothing. */
  active: boolean;
}

export const WARNINGS = [
  'consent_pending',
  'host_outside_website_domain',
  'cleanup_failed',
  'stripe_payment_link_rewrite_failed',
  'direct_click_failed',
  'tracking_verify_failed',
] as const;
export type Warning = (typeof WARNINGS)[number];
