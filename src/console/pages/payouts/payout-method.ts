import { isPaidByPerson, RAILS, type Rail } from '../../../contracts/rails.ts';

const METHODS: Readonly<Record<string, string>> = { paypal: 'PayPal', bank_transfer: 'Bank transfer' };

/** "PayPal", "bank transfer"; null: nobody chose one. */
export const methodName = (method: string | null): string => (method === null ? 'Unknown' : (METHODS[method] ?? method));

/** Who makes the payment: a person, or a provider by its name. */
export const providerText = (rail: Rail): string => (isPaidByPerson(rail) ? 'Manual' : RAILS[rail].label);

/** "PayPal (manual)", as people choose and pay. */
export const methodText = ({ rail, method }: { rail: Rail; method: string | null }): string =>
  `${methodName(method)} (${isPaidByPerson(rail) ? 'manual' : RAILS[rail].label})`;
