import type { unpayableForAffiliate as en } from './unpayable.affiliate.en.ts';

export const unpayableForAffiliate: typeof en = {
  AFFILIATE_BLOCKED: 'Ihre Mitgliedschaft ist gesperrt. Fragen Sie das Unternehmen nach dem Grund.',
  BELOW_THRESHOLD: 'Auszahlbar ist weniger als der Mindestbetrag.',
  DETAILS_JUST_CHANGED: 'Ihre Auszahlungsdaten wurden geändert. Nichts wird ausgezahlt vor dem',
  DETAILS_REJECTED:
    'Der Zahlungsdienst hat Ihre Auszahlungsdaten abgelehnt. Korrigieren Sie sie, oder bestätigen Sie, dass sie stimmen.',
  HELD_BY_DISPUTE: 'Ein Kunde hat eine Zahlung angefochten. Die Provision wird zurückgehalten, bis das entschieden ist.',
  HELD_BY_FLAG: 'Das Unternehmen prüft einige Ihrer Verkäufe. Deren Provisionen werden zurückgehalten.',
  NOTHING_PAYABLE: 'Noch ist nichts auszahlbar.',
  PAYOUTS_PAUSED: 'Das Unternehmen hat Ihre Auszahlungen ausgesetzt. Fragen Sie nach dem Grund.',
  PAYOUT_DETAILS_MISSING: 'Sie haben noch nicht angegeben, wohin gezahlt werden soll.',
  PAYOUT_IN_FLIGHT: 'Eine andere Auszahlung ist in Arbeit. Der Rest folgt danach.',
  RAIL_CANNOT_PAY: 'Der Zahlungsdienst kann diesen Betrag nicht an Ihre Auszahlungsdaten zahlen.',
  UNRESOLVED_PAYOUT: 'Das Unternehmen muss klären, was aus einer früheren Auszahlung wurde.',
};
