/**
 * Whose fault a definite failure is. `payee`: the details are wrong, or cannot receive. `account`: the account that pays, which stops all its
 * payments. `order`: this payment as it was ordered. `compliance`: stopped by law. `unclear`: whoever refused hides why.
 */
export const FAULT_CLASSES = ['payee', 'account', 'order', 'compliance', 'provider', 'unclear'] as const;
export type FaultClass = (typeof FAULT_CLASSES)[number];

/** The codes of a provider, in lower case, by what they mean. An open set: nothing is said of others. */
export type FaultTable = ReadonlyMap<string, FaultClass>;

/** Throws for a code of two classes. */
export const faultTable = (codes: Partial<Record<FaultClass, string>>, ...others: readonly FaultTable[]): FaultTable => {
  const table = new Map<string, FaultClass>();
  const own = FAULT_CLASSES.flatMap((name) => (codes[name] ?? '').split(/\s+/).map((code) => [code, name] as const));
  for (const [code, name] of [...others.flatMap((other) => [...other]), ...own]) {
    if (code === '') continue;
    if (table.has(code)) throw new Error(`The code ${code} has two classes`);
    table.set(code, name);
  }
  return table;
};

/**
 * Reasons of ISO 20022 (external code lists, 2Q2026), for every rail that hears from banks. Banks hide reasons behind MS02, MS03 and NARR to
 * protect data, so these count against nobody.
 */
export const ISO_FAULTS = faultTable({
  payee: 'ac01 ac03 ac04 ac06 ac07 ac14 ag01 be01 be06 be22 md07 rc01 rc04 cnor rr03',
  account: 'am04 ac02 ac05 ac13 am14 am21 dnor rc03 rr01 rr02 ds0a be05',
  order: 'ff01 td03 du01 du02 du03 du04 du05 am05 am10 dt01 ch16 cust ds02',
  compliance: 'rr04 am07 sl11 sl12 frad',
  provider: 'ab05 ab06 ab07 ab08 ab09 ab10 tm01 ed05 noas',
  unclear: 'ms02 ms03 narr focr',
});
