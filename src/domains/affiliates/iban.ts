const SHAPE = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;

/** A is 10, Z is 35; one digit at a time, so that no number grows large. */
const remainderOf97 = (text: string): number => {
  let rest = 0;
  for (const character of text) {
    for (const digit of Number.parseInt(character, 36).toString()) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest;
};

/** The IBAN without blanks and in upper case; null when its shape or check digits (ISO 7064 mod 97) are wrong. */
export const ibanOf = (text: string): string | null => {
  const iban = text.replaceAll(/\s/g, '').toUpperCase();
  if (!SHAPE.test(iban)) return null;
  return remainderOf97(iban.slice(4) + iban.slice(0, 4)) === 1 ? iban : null;
};
