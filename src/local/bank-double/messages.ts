import { writeXml, type XmlContent } from '../../platform/xml/write-xml.ts';

/* What a bank writes, in the versions that banks use. */

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:';

export const STATUS_VERSIONS = ['03', '10', '12', '14', '15'] as const;
export type StatusVersion = (typeof STATUS_VERSIONS)[number];
export const STATEMENT_VERSIONS = ['02', '08'] as const;
export type StatementVersion = (typeof STATEMENT_VERSIONS)[number];

export interface StatusWord {
  code: string;
  reason?: string | undefined;
  text?: string | undefined;
}

export interface PaymentStatus extends StatusWord {
  endToEndId: string;
}

export interface StatusMessage {
  id: string;
  at: Date;
  /** The file that it is about. */
  fileId: string;
  group?: StatusWord | undefined;
  payments?: { status?: StatusWord | undefined; lines: readonly PaymentStatus[] } | undefined;
}

const startOf = (day: string): string => [day, '00:00:00Z'].join('T');
const endOf = (day: string): string => [day, '23:59:59Z'].join('T');

const timeOf = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`;

const reasonOf = ({ reason, text }: StatusWord): XmlContent | null =>
  reason === undefined && text === undefined
    ? null
    : ['StsRsnInf', [reason === undefined ? null : ['Rsn', [['Cd', reason]]], text === undefined ? null : ['AddtlInf', text]]];

/** A pain.002 in which statuses and their reasons stand where every version has them. */
export const writeStatusMessage = (version: StatusVersion, { id, at, fileId, group, payments }: StatusMessage): Buffer => {
  const lines = (payments?.lines ?? []).map(
    (line): XmlContent => ['TxInfAndSts', [['OrgnlEndToEndId', line.endToEndId], ['TxSts', line.code], reasonOf(line)]],
  );
  const information: XmlContent | null = payments
    ? [
        'OrgnlPmtInfAndSts',
        [
          ['OrgnlPmtInfId', fileId],
          payments.status ? ['PmtInfSts', payments.status.code] : null,
          payments.status ? reasonOf(payments.status) : null,
          ...lines,
        ],
      ]
    : null;
  const report: XmlContent = [
    'CstmrPmtStsRpt',
    [
      [
        'GrpHdr',
        [
          ['MsgId', id],
          ['CreDtTm', timeOf(at)],
        ],
      ],
      [
        'OrgnlGrpInfAndSts',
        [
          ['OrgnlMsgId', fileId],
          ['OrgnlMsgNmId', 'pain.001.001.09'],
          group ? ['GrpSts', group.code] : null,
          group ? reasonOf(group) : null,
        ],
      ],
      information,
    ],
  ];
  return Buffer.from(writeXml(['Document', [report], { xmlns: `${NAMESPACE}pain.002.001.${version}` }]));
};

export interface EntryPart {
  endToEndId: string;
  amount: string;
  returnReason?: string | undefined;
}

export interface Entry {
  ref?: string | undefined;
  amount: string;
  direction: 'DBIT' | 'CRDT';
  /** `BOOK` unless it is only announced. */
  status?: 'BOOK' | 'PDNG' | 'INFO' | 'FUTR' | undefined;
  isReversal?: boolean | undefined;
  on: string;
  /** The file that a sum is of. */
  fileId?: string | undefined;
  parts?: readonly EntryPart[] | undefined;
}

export interface StatementMessage {
  id: string;
  at: Date;
  iban: string;
  sequence?: number | undefined;
  from: string;
  to: string;
  /** In euro, with a sign; absent in notifications. */
  opening?: string | undefined;
  closing?: string | undefined;
  entries: readonly Entry[];
}

const eur = (name: string, amount: string): XmlContent => [name, amount.replace('-', ''), { Ccy: 'EUR' }];

const balanceOf = (code: string, amount: string | undefined, on: string): XmlContent | null =>
  amount === undefined
    ? null
    : [
        'Bal',
        [
          ['Tp', [['CdOrPrtry', [['Cd', code]]]]],
          eur('Amt', amount),
          ['CdtDbtInd', amount.startsWith('-') ? 'DBIT' : 'CRDT'],
          ['Dt', [['Dt', on]]],
        ],
      ];

const TRANSACTION_CODE: XmlContent = [
  'BkTxCd',
  [
    [
      'Domn',
      [
        ['Cd', 'PMNT'],
        [
          'Fmly',
          [
            ['Cd', 'ICDT'],
            ['SubFmlyCd', 'ESCT'],
          ],
        ],
      ],
    ],
  ],
];

const partOf = (version: StatementVersion, entry: Entry, { endToEndId, amount, returnReason }: EntryPart): XmlContent => [
  'TxDtls',
  [
    ['Refs', [['EndToEndId', endToEndId]]],
    version === '08' ? eur('Amt', amount) : null,
    version === '08' ? ['CdtDbtInd', entry.direction] : null,
    version === '02' ? ['AmtDtls', [['TxAmt', [eur('Amt', amount)]]]] : null,
    returnReason === undefined ? null : ['RtrInf', [['Rsn', [['Cd', returnReason]]]]],
  ],
];

const entryOf = (version: StatementVersion, entry: Entry): XmlContent => {
  const status = entry.status ?? 'BOOK';
  const parts = entry.parts ?? [];
  const details: XmlContent = [
    'NtryDtls',
    [
      entry.fileId === undefined ? null : ['Btch', [['PmtInfId', entry.fileId]]],
      ...parts.map((part) => partOf(version, entry, part)),
    ],
  ];
  return [
    'Ntry',
    [
      eur('Amt', entry.amount),
      ['CdtDbtInd', entry.direction],
      entry.isReversal ? ['RvslInd', 'true'] : null,
      version === '08' ? ['Sts', [['Cd', status]]] : ['Sts', status],
      ['BookgDt', [['Dt', entry.on]]],
      ['ValDt', [['Dt', entry.on]]],
      entry.ref === undefined ? null : ['AcctSvcrRef', entry.ref],
      TRANSACTION_CODE,
      entry.fileId === undefined && parts.length === 0 ? null : details,
    ],
  ];
};

/** A camt.053 (a statement) or a camt.054 (a notification). */
export const writeStatementMessage = (kind: '053' | '054', version: StatementVersion, message: StatementMessage): Buffer => {
  const { id, at, iban, sequence, from, to, opening, closing, entries } = message;
  const [outer, inner] = kind === '053' ? ['BkToCstmrStmt', 'Stmt'] : ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'];
  const statement: XmlContent = [
    inner,
    [
      ['Id', id],
      sequence === undefined ? null : ['ElctrncSeqNb', String(sequence)],
      ['CreDtTm', timeOf(at)],
      [
        'FrToDt',
        [
          ['FrDtTm', startOf(from)],
          ['ToDtTm', endOf(to)],
        ],
      ],
      ['Acct', [['Id', [['IBAN', iban]]]]],
      balanceOf('OPBD', opening, from),
      balanceOf('CLBD', closing, to),
      ...entries.map((entry) => entryOf(version, entry)),
    ],
  ];
  const root: XmlContent = [
    outer,
    [
      [
        'GrpHdr',
        [
          ['MsgId', id],
          ['CreDtTm', timeOf(at)],
        ],
      ],
      statement,
    ],
  ];
  return Buffer.from(writeXml(['Document', [root], { xmlns: `${NAMESPACE}camt.${kind}.001.${version}` }]));
};
