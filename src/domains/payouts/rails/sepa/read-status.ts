import { all, find, textOf, type XmlElement, type XmlReader } from '../../../../platform/xml/read-xml.ts';
import type { StatusFile, StatusReport } from '../file-rail.ts';
import { keyOfEndToEndId } from './end-to-end-id.ts';
import { type SepaReading, verdictOf, verdictOfFile } from './status-codes.ts';

/** How many items that are not ours are listed for one message. */
export const MAX_UNREAD = 1_000;
const MAX_NAME = 140;

/** ISO's code, or one of the bank's own. */
const reasonOf = (element: XmlElement): string | null => {
  const reason = find(element, 'StsRsnInf', 'Rsn');
  return textOf(reason, 'Cd') ?? textOf(reason, 'Prtry');
};

/** Banks suggest it in the text beside the reason, or as the name of the payee. */
const suggestedNameOf = (element: XmlElement): string | null => {
  const texts = all(find(element, 'StsRsnInf'), 'AddtlInf').map(({ text }) => text.trim());
  const payee = find(element, 'OrgnlTxRef', 'Cdtr');
  const name = texts.join('') || textOf(payee, 'Pty', 'Nm') || textOf(payee, 'Nm');
  return name ? name.slice(0, MAX_NAME) : null;
};

/** Reads a pain.002, of any of its versions, record by record. */
export class StatusReader implements XmlReader {
  readonly records: ReadonlySet<string> = new Set(['TxInfAndSts']);

  private readonly reading: SepaReading;
  private readonly unread: string[] = [];
  /** Keyed by the name of the payment information, or an empty text for payments outside of one. */
  private readonly lines = new Map<string, StatusReport['lines']>();

  constructor(reading: SepaReading) {
    this.reading = reading;
  }

  take(record: XmlElement, around: readonly XmlElement[]): void {
    const parent = around.at(-1) ?? null;
    const group = parent?.name === 'OrgnlPmtInfAndSts' ? (textOf(parent, 'OrgnlPmtInfId') ?? '') : '';
    const id = textOf(record, 'OrgnlEndToEndId') ?? textOf(record, 'OrgnlInstrId') ?? '';
    const idempotencyKey = keyOfEndToEndId(id);
    const code = textOf(record, 'TxSts');
    if (idempotencyKey === null || code === null) return this.refuse(id || 'a payment without an id');
    const word = { code, reason: reasonOf(record), suggestedName: suggestedNameOf(record) };
    const line = { idempotencyKey, ...verdictOf(word, this.reading) };
    const known = this.lines.get(group);
    if (known) known.push(line);
    else this.lines.set(group, [line]);
  }

  end(root: XmlElement): StatusFile {
    const message = find(root, 'CstmrPmtStsRpt');
    const original = find(message, 'OrgnlGrpInfAndSts');
    const fileId = textOf(original, 'OrgnlMsgId');
    const reports = fileId === null ? [] : [this.reportOf(fileId, message, original)];
    if (fileId === null) this.refuse('a message that names no file');
    for (const group of this.lines.keys()) this.refuse(group || 'payments outside of the file');
    return { kind: 'status', id: textOf(message, 'GrpHdr', 'MsgId'), reports, unread: this.unread };
  }

  /** A file has one payment information, with its own name; what a bank says of that is more exact than what it says of the message. */
  private reportOf(fileId: string, message: XmlElement | null, original: XmlElement | null): StatusReport {
    const groups = all(message, 'OrgnlPmtInfAndSts');
    const own = groups.filter((group) => (textOf(group, 'OrgnlPmtInfId') ?? fileId) === fileId);
    const group = own.find((found) => textOf(found, 'PmtInfSts') !== null);
    const codeOfGroup = textOf(group, 'PmtInfSts');
    const code = codeOfGroup ?? textOf(original, 'GrpSts');
    const said = codeOfGroup !== null && group ? group : original;
    const whole =
      code === null || !said ? null : verdictOfFile({ code, reason: reasonOf(said), suggestedName: null }, this.reading);
    const lines = [fileId, ''].flatMap((name) => this.lines.get(name) ?? []);
    this.lines.delete(fileId);
    this.lines.delete('');
    return { fileId, whole, lines };
  }

  private refuse(what: string): void {
    if (this.unread.length < MAX_UNREAD) this.unread.push(what.slice(0, 70));
  }
}
