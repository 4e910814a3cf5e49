/** A text, or how to write it with "sent twice". */
export type Text = string | ((sent: string) => string);

export interface StateText {
  /** Names the state. */
  label: string;
  /** What it means, in whole sentences. */
  text: string;
}

/** What is said about a situation: a row for each of its states, reasons and next steps. */
export interface SituationTexts<State extends string, Reason extends string, Next extends string> {
  states: Readonly<Record<State, StateText>>;
  /** Clauses: they follow a label, and `sentenceOf` makes a sentence of them. */
  reasons: Readonly<Record<Reason, Text>>;
  /** What to do, in whole sentences with the names of buttons. */
  next: Readonly<Record<Next, string>>;
}

/** For affiliates, who need not know every reason, and rarely have to do anything. Whole sentences; null: nothing is said. */
export interface AffiliateTexts<State extends string, Reason extends string, Next extends string> {
  states: Readonly<Record<State, StateText>>;
  reasons: Readonly<Record<Reason, string | null>>;
  next: Readonly<Record<Next, string | null>>;
}

const TIMES = ['not sent', 'sent once', 'sent twice'];

/** "sent twice"; `count` is null where it is not known. */
export const sentTimes = (count: number | null): string => (count === null ? 'sent' : (TIMES[count] ?? `sent ${count} times`));

export const textOf = (text: Text, sendCount: number | null = null): string =>
  typeof text === 'string' ? text : text(sentTimes(sendCount));

/** "its run is paused" as "Its run is paused." */
export const sentenceOf = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
