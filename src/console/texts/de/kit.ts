import type { kit as en } from '../en/kit.ts';
import { germanIssue } from './issues.ts';

export const kit: typeof en = {
  skipToContent: 'Zum Inhalt springen',
  mainNavigation: 'Hauptnavigation',
  menu: 'Menü',
  signIn: 'Anmelden',
  signOut: 'Abmelden',
  close: 'Schließen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  confirm: 'Bestätigen',
  optional: 'freiwillig',
  choose: 'Bitte wählen …',
  errorInTitle: 'Fehler',
  problems: 'Bitte prüfen Sie Ihre Angaben',
  asTable: 'Als Tabelle anzeigen',
  allTimesIn: (zone) => `Alle Zeiten in ${zone}.`,
  shown: (shown, total) => `${shown} von ${total}`,
  moreThan: (count) => `mehr als ${count}`,
  nextPage: 'Nächste Seite',
  firstPage: 'Erste Seite',
  export: 'Als CSV exportieren',
  filter: 'Filtern',
  mustBeNumber: 'muss eine Zahl sein',
  mustBeAmount: (example) => `muss ein Betrag sein, zum Beispiel ${example}`,
  mustBeChosen: 'muss aus der Liste gewählt werden',
  issue: germanIssue,
  alreadySent:
    'Dieses Formular wurde schon mit anderen Angaben gesendet. Bitte prüfen Sie, ob es gewirkt hat, bevor Sie es noch einmal senden.',
  notFound: {
    title: 'Seite nicht gefunden',
    text: 'Bitte prüfen Sie, ob die Adresse vollständig ist, oder beginnen Sie auf der ersten Seite.',
  },
  forbidden: { title: 'Kein Zugriff', text: 'Sie können diese Seite nicht öffnen.' },
  crossSite: {
    title: 'Das Formular wurde nicht angenommen',
    text: 'Es kam nicht von einer Seite dieser Website. Bitte öffnen Sie die Seite neu und senden Sie es von dort.',
  },
  invalid: { title: 'Die Adresse ist ungültig', text: 'Ein Teil der Adresse dieser Seite ist nicht lesbar.' },
  tooMany: { title: 'Zu viele Anfragen', text: (seconds) => `Bitte versuchen Sie es in ${seconds} Sekunden noch einmal.` },
  conflict: { title: 'Das ist nicht möglich' },
  fault: {
    title: 'Etwas ist schiefgegangen',
    text: (requestId) => `Bitte versuchen Sie es noch einmal. Wenn es wieder geschieht, nennen Sie uns ${requestId}.`,
  },
  toStart: 'Zur ersten Seite',
};
