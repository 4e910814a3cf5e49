import { MAX_BANK_MESSAGE_BYTES } from '../../../../contracts/bank-files.ts';
import { readXml, UnreadableFile } from '../../../../platform/xml/read-xml.ts';
import type { StatementFile, StatusFile } from '../file-rail.ts';
import { StatementReader } from './read-statement.ts';
import { StatusReader } from './read-status.ts';
import type { SepaReading } from './status-codes.ts';

const PREFIX = 'urn:iso:std:iso:20022:tech:xsd:';
const STATUSES = new Set(['03', '10', '12', '14', '15'].map((version) => `${PREFIX}pain.002.001.${version}`));
const STATEMENTS = new Set(['camt.053.001', 'camt.054.001'].flatMap((name) => [`${PREFIX}${name}.02`, `${PREFIX}${name}.08`]));

/** Reads a status file (pain.002) or a statement (camt.053, camt.054). Throws `UnreadableFile`, in words for people. */
export const readBankMessage = (bytes: Uint8Array, reading: SepaReading): StatusFile | StatementFile => {
  if (bytes.length > MAX_BANK_MESSAGE_BYTES) throw new UnreadableFile('The file is larger than 10 MiB');
  let reader: StatusReader | StatementReader | null = null;
  const root = readXml(bytes, (namespace) => {
    if (STATUSES.has(namespace)) reader = new StatusReader(reading);
    else if (STATEMENTS.has(namespace)) reader = new StatementReader();
    return reader;
  });
  // Assigned by a callback, which the compiler does not follow.
  const found = reader as StatusReader | StatementReader | null;
  if (!found) throw new UnreadableFile('The file is empty');
  return found.end(root);
};
