/**
 * Who has to act before something continues. `approver`: a person other than those who made it. `reviewer`: who decides on fraud
 * reviews and applications. `operator`: who runs the server. `payee`: has to claim the payment at the provider. `payouts`: those that it
 * created have to end.
 */
export const WAITS_FOR = ['nobody', 'approver', 'finance', 'reviewer', 'operator', 'provider', 'payee', 'payouts'] as const;
export type WaitsFor = (typeof WAITS_FOR)[number];

/** Where something is. Every place that shows it uses this: the API, Temporal, the console, the portal and emails. */
export interface Situation<
  State extends string = string,
  Reason extends string = string,
  Next extends string = string,
  Action extends string = string,
> {
  state: State;
  /** Explains the state; null when the state says it all. */
  reason: Reason | null;
  waitsFor: WaitsFor;
  /** ISO time by which they have to act; null without one. */
  until: string | null;
  /** What they do next; null when nobody has to do anything. */
  next: Next | null;
  /** What a page can offer as far as the state decides. What the caller may do comes from elsewhere. */
  actions: readonly Action[];
}

/** As the wire shows it: what can be done depends on the caller. */
export type ShownSituation = Omit<Situation, 'actions'>;

export const shownSituation = ({ state, reason, waitsFor, until, next }: Situation): ShownSituation => ({
  state,
  reason,
  waitsFor,
  until,
  next,
});
