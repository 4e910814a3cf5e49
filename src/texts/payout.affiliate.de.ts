import type { payoutForAffiliate as en } from './payout.affiliate.en.ts';

const BALANCE = 'Der Betrag gehört wieder zu Ihrem Guthaben.';
const CHECKING = 'Das Unternehmen klärt, was aus der Zahlung wurde.';
const DETAILS = 'Prüfen Sie Ihre Auszahlungsdaten, und korrigieren Sie sie, falls sie nicht stimmen.';

export const payoutForAffiliate: typeof en = {
  states: {
    to_approve: { label: 'Wartet auf Freigabe', text: 'Das Unternehmen muss sie freigeben, bevor sie gesendet wird.' },
    queued: { label: 'Geplant', text: 'Sie wird in Kürze gesendet.' },
    sending: { label: 'Unterwegs', text: 'Die Zahlung wurde gesendet.' },
    to_pay: { label: 'Geplant', text: 'Das Unternehmen nimmt diese Zahlung selbst vor.' },
    on_hold: { label: 'Angehalten', text: 'Das Unternehmen muss sie zuerst wieder freigeben.' },
    under_review: { label: 'In Prüfung', text: CHECKING },
    paid: { label: 'Ausgezahlt', text: 'Gezahlt wurde auf die Auszahlungsdaten, die bei ihrer Erstellung galten.' },
    failed: { label: 'Nicht ausgezahlt', text: BALANCE },
    cancelled: { label: 'Storniert', text: `Sie wurde storniert, bevor sie gesendet wurde. ${BALANCE}` },
    returned: { label: 'Zurückgekommen', text: `Das Empfängerkonto hat die Zahlung nicht angenommen. ${BALANCE}` },
  },
  reasons: {
    payment_started: 'Das Unternehmen nimmt die Zahlung gerade vor.',
    waiting_for_payee: 'Der Zahlungsdienst wartet, bis Sie die Zahlung annehmen.',
    unresolved_contradiction: 'Das Unternehmen muss klären, was aus einer früheren Auszahlung wurde.',
    marked_failed: 'Die Zahlung war nicht möglich.',
    rail_rejected: 'Der Zahlungsdienst hat die Zahlung abgelehnt.',
    account_refused: 'Das Konto des Unternehmens konnte die Zahlung nicht ausführen.',
    not_claimed: 'Die Zahlung wurde nicht rechtzeitig angenommen und ging zurück.',
    invalid_details: 'Der Zahlungsdienst hat Ihre Auszahlungsdaten nicht angenommen.',
    no_rail: 'Ihre Auszahlungsart ist zurzeit nicht verfügbar.',
    affiliate_blocked: 'Ihre Mitgliedschaft ist gesperrt, deshalb wird zurzeit nichts ausgezahlt.',
    items_held: 'Provisionen dieser Auszahlung werden zurückgehalten, solange Verkäufe angefochten sind oder geprüft werden.',
    resolved_not_paid: 'Es hat sich herausgestellt, dass die Zahlung nicht angekommen ist.',
    approval_expired: 'Die Auszahlung wurde nicht rechtzeitig freigegeben.',
    file_discarded: 'Die Zahlung wurde nicht an die Bank gegeben.',
  },
  next: {
    check_details: DETAILS,
    claim_payment:
      'Nehmen Sie die Zahlung an: Melden Sie sich beim Zahlungsdienst mit der E-Mail-Adresse an, an die gezahlt wird, oder eröffnen Sie dort mit ihr ein Konto. Sonst geht das Geld nach Ablauf der Frist an das Unternehmen zurück.',
    contact_company: 'Wenden Sie sich an das Unternehmen, das das Programm betreibt.',
  },
};
