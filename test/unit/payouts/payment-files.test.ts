import { type Payment, renderPaymentFiles } from '../../../src/domains/payouts/manual/payment-files.rules.ts';

const ID = '0198f1c2-b3d0-7a15-8c42-3f0e9d7b6a51';
const NONE = { paypalEmail: null, bankIban: null, bankBic: null, bankAccountHolder: null };

const payment = (more: Partial<Payment> = {}): Payment => ({
  payoutId: ID,
  status: 'processing',
  programName: 'Acme, Partners',
  affiliateCode: 'adabyron',
  amount: 12_500,
  amountDecimal: '125.00',
  currency: 'usd',
  method: 'paypal',
  recipient: { ...NONE, paypalEmail: 'ada@blog.example' },
  reference: 'ACM-1042',
  affiliateName: 'Ada Byron',
  email: 'ada@mail.example',
  ...more,
});

const bank = (more: Partial<Payment> = {}): Payment =>
  payment({
    method: 'bank_transfer',
    currency: 'eur',
    recipient: { ...NONE, bankIban: 'DE89370400440532013000', bankAccountHolder: '=Ada "B" Byron', bankBic: 'COBADEFFXXX' },
    ...more,
  });

test('csv: one file with all columns, quoted where a cell needs it', () => {
  const { files, omitted } = renderPaymentFiles('csv', [payment(), bank()]);
  expect(omitted).toEqual([]);
  expect(files).toEqual([
    {
      name: 'payouts.csv',
      payouts: 2,
      content: [
        '\uFEFFpayoutId,programName,affiliateCode,method,bankAccountHolder,bankIban,paypalEmail,amount,currency,amountMinor,reference,bankBic',
        `${ID},"Acme, Partners",adabyron,paypal,,,ada@blog.example,125.00,USD,12500,ACM-1042,`,
        `${ID},"Acme, Partners",adabyron,bank_transfer,"'=Ada ""B"" Byron",DE89370400440532013000,,125.00,EUR,12500,ACM-1042,COBADEFFXXX`,
        '',
      ].join('\r\n'),
    },
  ]);
});

test("paypal: PayPal's file has no header, one currency, and nobody without an address", () => {
  const yen = payment({ currency: 'jpy', amount: 500, amountDecimal: '500', affiliateCode: 'a'.repeat(31) });
  const { files, omitted } = renderPaymentFiles('paypal', [payment(), yen, bank({ payoutId: 'bank' })]);
  expect(omitted).toEqual(['bank']);
  expect(files).toEqual([
    {
      name: 'paypal-usd.csv',
      payouts: 1,
      content: `ada@blog.example,125.00,USD,adabyron,"Acme, Partners ACM-1042",PAYPAL\r\n`,
    },
    { name: 'paypal-jpy.csv', payouts: 1, content: `ada@blog.example,500,JPY,,"Acme, Partners ACM-1042",PAYPAL\r\n` },
  ]);
});

test('paypal: at most 5,000 rows a file, and a note of at most 400 characters', () => {
  const many = Array.from({ length: 5_001 }, () => payment({ programName: 'é'.repeat(500) }));
  const { files } = renderPaymentFiles('paypal', many);
  expect(files.map(({ name, payouts }) => [name, payouts])).toEqual([
    ['paypal-usd-1.csv', 5_000],
    ['paypal-usd-2.csv', 1],
  ]);
  expect(files[1]?.content.split(',')[4]?.length).toBeLessThanOrEqual(400);
});

test('B8: wise: EUR by IBAN, PayPal addresses by email; a bank transfer in another currency goes to no address of today', () => {
  const dollars = bank({ payoutId: 'dollars', currency: 'usd' });
  const { files, omitted } = renderPaymentFiles('wise', [bank(), payment(), dollars, payment({ currency: 'eur' })]);
  expect(omitted).toEqual(['dollars']);
  expect(files.map(({ name, content }) => [name, ...content.trimEnd().split('\r\n')])).toEqual([
    [
      'wise-iban-eur.csv',
      'name,recipientEmail,paymentReference,referenceNumber,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency,IBAN',
      `"'=Ada ""B"" Byron",ada@mail.example,ACM-1042,,PERSON,target,125.00,EUR,EUR,DE89370400440532013000`,
    ],
    [
      'wise-email-usd.csv',
      'name,recipientEmail,paymentReference,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency',
      `Ada Byron,ada@blog.example,ACM-1042,PERSON,target,125.00,USD,USD`,
    ],
    [
      'wise-email-eur.csv',
      'name,recipientEmail,paymentReference,receiverType,amountCurrency,amount,sourceCurrency,targetCurrency',
      `Ada Byron,ada@blog.example,ACM-1042,PERSON,target,125.00,EUR,EUR`,
    ],
  ]);
});

test('what could be a formula is text in every format, and an erased recipient is in none', () => {
  const names = { '=1+1': "'=1+1", '+1': "'+1", '-1': "'-1", '@sum': "'@sum", '\t=1': "'\t'=1", 'A; =1': "A;' =1" };
  for (const [name, written] of Object.entries(names)) {
    const [csv] = renderPaymentFiles('csv', [bank({ recipient: { ...NONE, bankIban: 'DE1', bankAccountHolder: name } })]).files;
    expect(csv?.content).toContain(written);
  }
  const erased = payment({ recipient: NONE });
  for (const format of ['csv', 'paypal', 'wise'] as const)
    expect(renderPaymentFiles(format, [erased])).toEqual({ files: [], omitted: [ID] });
});
