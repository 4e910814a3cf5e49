/** Members of the European Economic Area whose banks take part in SEPA. */
export const SEPA_INSIDE_EEA: readonly string[] =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' ');

/** The other countries of SEPA, as of 2026-11: payments to them name the address of whoever pays and the bank of the payee. */
export const SEPA_OUTSIDE_EEA: readonly string[] = 'AD AL CH GB MC MD ME MK RS SM VA'.split(' ');

export const SEPA_COUNTRIES: readonly string[] = [...SEPA_INSIDE_EEA, ...SEPA_OUTSIDE_EEA];
