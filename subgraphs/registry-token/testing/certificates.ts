import { issueAuthority, issueLeaf, newKey } from '../signing/certificates.ts';

/** Certificate of a client or a server with its key, in PEM and DER. */
export const testIdentity = async () => {
  const [above, key] = [newKey(), newKey()];
  const authority = await issueAuthority(above, new Date());
  const certificate = await issueLeaf(key, { certificate: authority, key: above }, new Date());
  return {
    key: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
    cert: certificate.toString(),
    raw: certificate.raw,
  };
};
