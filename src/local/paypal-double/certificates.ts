import 'reflect-metadata';
import { KeyObject, sign, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

/** A root that nobody trusts unless told to, and what PayPal's sandbox would sign with. Made anew at each start. */
export interface Signer {
  rootPem: string;
  /** As PayPal serves it: the leaf, then the certificate that issued it. */
  chainPem: string;
  sign(text: string): string;
}

/** The name that PayPal's Java SDK looks for (`SSLUtil.validateCertificateChain`). */
const NAME = 'messageverificationcerts.sandbox.paypal.com';
const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  publicExponent: new Uint8Array([1, 0, 1]),
  modulusLength: 2_048,
};
const DAY_MS = 86_400_000;

interface Issuer {
  certificate: X509Certificate;
  key: webcrypto.CryptoKey;
}

export interface LeafOptions {
  name?: string;
  notBefore?: Date;
  notAfter?: Date;
}

export const createSigner = async (leaf: LeafOptions = {}): Promise<Signer> => {
  const root = await issue('Root of the PayPal double', null);
  const middle = await issue('Issuer of the PayPal double', root);
  const last = await issue(leaf.name ?? NAME, middle, leaf);
  const key = KeyObject.from(last.key);
  return {
    rootPem: root.certificate.toString('pem'),
    chainPem: `${last.certificate.toString('pem')}\n${middle.certificate.toString('pem')}\n`,
    sign: (text) => sign('sha256', Buffer.from(text), key).toString('base64'),
  };
};

/** Null: it issues itself. Without `leaf`, it may issue others. */
const issue = async (name: string, issuer: Issuer | null, leaf?: LeafOptions): Promise<Issuer> => {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const now = Date.now();
  const isAuthority = leaf === undefined;
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: Buffer.from(webcrypto.getRandomValues(new Uint8Array(16))).toString('hex'),
      subject: `CN=${name}`,
      issuer: issuer ? issuer.certificate.subject : `CN=${name}`,
      notBefore: leaf?.notBefore ?? new Date(now - DAY_MS),
      notAfter: leaf?.notAfter ?? new Date(now + 365 * DAY_MS),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: issuer ? issuer.key : keys.privateKey,
      extensions: [
        new BasicConstraintsExtension(isAuthority, undefined, true),
        new KeyUsagesExtension(isAuthority ? KeyUsageFlags.keyCertSign : KeyUsageFlags.digitalSignature, true),
      ],
    },
    webcrypto,
  );
  return { certificate, key: keys.privateKey };
};
