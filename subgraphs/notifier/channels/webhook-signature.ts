import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
const FORMAT = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Secret of Standard Webhooks 1.0.0 as people copy it: `whsec_` and the base64 of its bytes. */
export const formatSecret = (bytes: Uint8Array): string => `${PREFIX}${Buffer.from(bytes).toString('base64')}`;

/** Bytes of a secret. @throws TypeError for a text that is none */
const parseSecret = (secret: string): Buffer => {
  if (!FORMAT.test(secret)) throw new TypeError('This is no secret of Standard Webhooks.');
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
};

interface SignedContent {
  /** Id of the message, the same at each attempt; without dots. */
  readonly id: string;
  /** Time of the attempt, in Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/**
 * Headers of a signed delivery (Standard Webhooks 1.0.0): one signature `v1` for each secret in force, the newest first.
 */
export const signatureHeaders = (
  { id, timestamp, body }: SignedContent,
  secrets: readonly string[],
): Readonly<Record<string, string>> => {
  const content = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', parseSecret(secret)).update(content).digest('base64')}`,
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
};
