import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface CertificateSpec {
  /** As openssl takes it: `/CN=client`. */
  readonly subject: string;
  /** As openssl writes them: `DNS:client.example`. */
  readonly alternatives?: readonly string[];
  readonly days?: number;
  /** A certificate of authorities. */
  readonly isAuthority?: boolean;
  readonly usage?: string;
}

/** A certificate with its key, in PEM and as Node reads it. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly x509: X509Certificate;
}

const openssl = (args: readonly string[]): void => {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

const configOf = ({ alternatives = [], isAuthority = false, usage }: CertificateSpec): string =>
  [
    '[req]',
    'distinguished_name = name',
    'x509_extensions = extensions',
    '[name]',
    '[extensions]',
    `basicConstraints = critical,CA:${isAuthority ? 'TRUE' : 'FALSE'}`,
    ...(usage === undefined ? [] : [`extendedKeyUsage = ${usage}`]),
    ...(alternatives.length === 0 ? [] : ['subjectAltName = @alternatives', '[alternatives]']),
    // A section of its own, where a comma is a comma.
    ...alternatives.map((each, index) => each.replace(/^(\w+):/, `$1.${index} = `)),
    '',
  ].join('\n');

const issue = (spec: CertificateSpec, by?: Pair): Pair => {
  const directory = mkdtempSync(join(tmpdir(), 'landfall-certificate-'));
  const file = (name: string): string => join(directory, name);
  try {
    writeFileSync(file('config'), configOf(spec));
    if (by) {
      writeFileSync(file('authority.pem'), by.cert);
      writeFileSync(file('authority-key.pem'), by.key);
    }
    openssl([
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-utf8'],
      ...['-config', file('config'), '-subj', spec.subject, '-days', String(spec.days ?? 10)],
      ...['-keyout', file('key.pem'), '-out', file('cert.pem')],
      ...(by ? ['-CA', file('authority.pem'), '-CAkey', file('authority-key.pem')] : []),
    ]);
    const cert = readFileSync(file('cert.pem'), 'utf8');
    return { cert, key: readFileSync(file('key.pem'), 'utf8'), x509: new X509Certificate(cert) };
  } finally {
    rmSync(directory, { recursive: true });
  }
};

/** Creates a self-signed certificate. */
export const selfSigned = (spec: CertificateSpec): Pair => issue(spec);

/** Creates a certificate that is signed by an authority. */
export const signedBy = (authority: Pair, spec: CertificateSpec): Pair => issue(spec, authority);
