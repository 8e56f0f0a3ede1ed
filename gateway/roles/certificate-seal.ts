import { createHmac, timingSafeEqual, X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import type { Certificate } from '@landfall/kernel/http/client-certificates';
import { valuesOf } from '@landfall/kernel/http/request-headers';

/** Header with a client's certificate from edge to module; removed from external requests, like all `x-landfall-*`. */
export const certificateHeader = 'x-landfall-certificate';

/** Seals a client's certificate between edge and module, valid for one method and one target. */
export interface CertificateSeals {
  /** Creates the header's value. */
  seal(certificate: Pick<Certificate, 'raw'>, method: string, target: string): string;
  /** Opens the certificate of a request that another role passed on; undefined for anything else. */
  open(request: IncomingMessage): Certificate | undefined;
}

const PURPOSE = 'certificate/edge';

const macOf = (key: Buffer, raw: Buffer, method: string, target: string): Buffer =>
  createHmac('sha256', key).update(`${method}\n${target}\n`).update(raw).digest();

const parse = (raw: Buffer): Certificate | undefined => {
  try {
    return { raw: new X509Certificate(raw).raw, error: undefined };
  } catch {
    return undefined;
  }
};

export const createCertificateSeals = (secrets: Secrets): CertificateSeals => {
  const keys = secrets.deriveAll(PURPOSE);
  const key = secrets.derive(PURPOSE);
  return {
    seal: ({ raw }, method, target) =>
      `${raw.toString('base64url')}.${macOf(key, raw, method, target).toString('base64url')}`,
    open(request) {
      const { method = '', url = '' } = request;
      const [encoded = '', tail = ''] = (valuesOf(request, certificateHeader)[0] ?? '').split('.');
      const [raw, mac] = [Buffer.from(encoded, 'base64url'), Buffer.from(tail, 'base64url')];
      const isGood = keys.some((each) => {
        const requested = macOf(each, raw, method, url);
        return mac.length === requested.length && timingSafeEqual(requested, mac);
      });
      return isGood ? parse(raw) : undefined;
    },
  };
};
