import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '@landfall/kernel/crypto/secrets';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const one = (headers: Headers, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Secret in an Authorization header: as Bearer, as the password of Basic (RFC 7617), or alone. */
const secretIn = (authorization: string): string => {
  const [, scheme = '', value = ''] = /^(Bearer|Basic) +(\S+)$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() === 'bearer') return value;
  if (scheme.toLowerCase() !== 'basic') return authorization;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  return pair.slice(pair.indexOf(':') + 1);
};

/**
 * Whether the sender of a webhook knows its secret: by GitHub's signature over the body, GitLab's token, or the
 * Authorization header that Docker's registry, Harbor and Quay can be configured to send. With a signature present,
 * only the signature counts. Takes a time that does not depend on the secret.
 */
export const provesSecret = (headers: Headers, body: string, secret: string): boolean => {
  const signature = one(headers, 'x-hub-signature-256');
  if (signature !== undefined)
    return constantTimeEqual(signature, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const token = one(headers, 'x-gitlab-token');
  if (token !== undefined) return constantTimeEqual(token, secret);
  const authorization = one(headers, 'authorization');
  return authorization !== undefined && constantTimeEqual(secretIn(authorization), secret);
};
