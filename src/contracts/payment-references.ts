/** Before the number of a payment reference: short enough for every file, and never a number. */
export const PAYMENT_PREFIX = /^[A-Z][A-Z0-9]{1,4}$/;
/** For a company whose name has no two letters from A to Z. */
const OTHER = 'PAY';

/** What many names end with, and nobody is known by. */
const LEGAL_FORMS = new Set('AB AG AS BV CO CORP GMBH INC KG LIMITED LLC LTD NV OY PLC SA SARL SE SL SPA SRL UG'.split(' '));

/** The initials of a company, or how its only word begins: "Northwind Partners" is NP, "Acme Inc." is ACM. */
export const paymentPrefixOf = (companyName: string): string => {
  const plain = companyName.normalize('NFKD').replaceAll(/[\u0300-\u036f]/g, '');
  const words = plain.toUpperCase().match(/[A-Z][A-Z0-9]*/g) ?? [];
  const own = words.filter((word) => !LEGAL_FORMS.has(word));
  const [first = '', ...more] = own.length > 0 ? own : words;
  const prefix =
    more.length > 0
      ? [first, ...more]
          .map((word) => word[0])
          .join('')
          .slice(0, 5)
      : first.slice(0, 3);
  return PAYMENT_PREFIX.test(prefix) ? prefix : OTHER;
};
