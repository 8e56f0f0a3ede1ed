import type { HttpFailure } from '@landfall/kernel/http/failure';

/** Words of sockets and TLS in the error that a failure carries, and what they mean to a person. */
const MEANINGS: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [/ECONNREFUSED/, 'Nothing listens at the address.'],
  [/EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/, 'There is no route to the address.'],
  [
    /ECONNRESET|EPIPE|other side closed|socket hang up|closed unexpectedly|closed by the other/i,
    'The receiver closed the connection before it answered.',
  ],
  [/expired/i, 'Its certificate has expired.'],
  [/self.signed|unable to (get|verify)|issuer/i, 'Its certificate is not signed by an authority that Landfall trusts.'],
  [/altname|does not match/i, 'Its certificate is for another name.'],
  [/wrong version number|EPROTO|packet length/i, 'It does not speak TLS at this port.'],
];

const KINDS: Readonly<Record<HttpFailure['kind'], string>> = {
  connection: 'No connection to the receiver.',
  dns: 'The name of the receiver is unknown.',
  tls: 'No secure connection to the receiver.',
  timeout: 'The receiver did not answer in time.',
  'too-large': 'The answer of the receiver was too long to be read.',
  'refused-by-policy': 'The address may not be asked.',
  aborted: 'The attempt was broken off, as Landfall stopped.',
};

/** Failure of a connection in words for people, without those of the runtime. */
export const failureText = ({ kind, message }: Pick<HttpFailure, 'kind' | 'message'>): string => {
  if (kind === 'refused-by-policy') return message;
  const isOfConnection = kind === 'connection' || kind === 'tls';
  const meaning = isOfConnection ? MEANINGS.find(([pattern]) => pattern.test(message))?.[1] : undefined;
  return meaning === undefined ? KINDS[kind] : `${KINDS[kind]} ${meaning}`;
};
