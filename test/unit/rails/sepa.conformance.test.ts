import { STATUS_VERSIONS } from '../../../src/local/bank-double/messages.ts';
import { fileConformance } from '../../support/rails/file-conformance.ts';
import { sepaBank } from '../../support/rails/sepa-bank.ts';

describe.each(STATUS_VERSIONS)('sepa with pain.002.001.%s', (version) => {
  fileConformance('sepa', sepaBank(version));
});
