/** National currencies in circulation (ISO 4217). The API reference lists these; historical codes are accepted as well. */
export const CURRENCY_CODES: readonly string[] = `
  aed afn all amd aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd btn bwp byn bzd cad cdf chf clp cny
  cop crc cup cve czk djf dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gnf gtq gyd hkd hnl htg huf idr ils
  inr iqd irr isk jmd jod jpy kes kgs khr kmf kpw krw kwd kyd kzt lak lbp lkr lrd lsl lyd mad mdl mga mkd mmk mnt mop
  mru mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr
  sdg sek sgd shp sle sos srd ssp stn svc syp szl thb tjs tmt tnd top try ttd twd tzs uah ugx usd uyu uzs ves vnd vuv
  wst xaf xcd xof xpf yer zar zmw
`
  .trim()
  .split(/\s+/);

const codesWith = (decimals: number, codes: string): [code: string, decimals: number][] =>
  codes.split(' ').map((code) => [code, decimals]);

/**
 * Decimals of the currencies that do not have two (ISO 4217). `Intl` follows how prices are written instead: it has none for the
 * forint, whose minor unit is a hundredth.
 */
export const CURRENCY_DECIMALS: ReadonlyMap<string, number> = new Map([
  ...codesWith(0, 'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'),
  ...codesWith(3, 'bhd iqd jod kwd lyd omr tnd'),
  ...codesWith(4, 'clf uyw'),
]);

/** 2 for usd, 0 for jpy, 3 for kwd. */
export const decimalsOf = (currency: string): number => CURRENCY_DECIMALS.get(currency) ?? 2;

/** "125.00" for 12500, "eur". */
export const toDecimal = (amountMinor: number, currency: string): string => {
  const decimals = decimalsOf(currency);
  return (amountMinor / 10 ** decimals).toFixed(decimals);
};

/** "125.00 EUR" for 12500, "eur". */
export const formatMoney = (amountMinor: number, currency: string): string =>
  `${toDecimal(amountMinor, currency)} ${currency.toUpperCase()}`;

/** 125 for 12500, "eur". For display and search only: not exact. */
export const toMajorUnits = (amountMinor: number, currency: string): number => amountMinor / 10 ** decimalsOf(currency);
