import { failureOf, type HttpFailure } from '@landfall/kernel/http/failure';
import { createTransport } from 'nodemailer';
import { failureText } from './failure-text.ts';
import type { Send } from './send.ts';
import { failed, type OutgoingMessage, type SendOutcome } from './send-outcome.ts';

/** Longest time of an attempt (spec 8), whatever the server sends meanwhile. */
const TIMEOUT_MS = 30_000;

/** Parts of a mail, as the template rendered them. */
const partsOf = ({ contentType, body, textPart }: OutgoingMessage) =>
  contentType.startsWith('text/html') ? { html: body, text: textPart ?? '' } : { text: body };

const replyOf = (error: unknown): number | null =>
  error instanceof Error && 'responseCode' in error && typeof error.responseCode === 'number'
    ? error.responseCode
    : null;

/** Replies to RCPT TO without an enhanced code that say that there is no such mailbox (RFC 5321 4.2.3). */
const NO_MAILBOX = new Set([550, 551, 553]);

/**
 * Whether a permanent reply is about the address: 5.1.x but for the sender's, and 5.2.1, a mailbox that is disabled (RFC 3463
 * 3.2, 3.3). A refusal by policy, or a full mailbox, is none.
 */
const isAboutAddress = (error: Error, reply: number): boolean => {
  const [, subject, detail] = /\b5\.(\d{1,3})\.(\d{1,3})\b/.exec(error.message) ?? [];
  if (subject === undefined) return NO_MAILBOX.has(reply) && 'command' in error && error.command === 'RCPT TO';
  return (subject === '1' && detail !== '7' && detail !== '8') || (subject === '2' && detail === '1');
};

/** Failure without a reply of the server. */
const unansweredBy = (failure: HttpFailure): SendOutcome => {
  if (failure.kind === 'refused-by-policy') return failed('egress_refused', failure.message, true);
  const cause = failure.kind === 'tls' || failure.kind === 'timeout' ? failure.kind : 'network';
  return failed(cause, `The mail server did not take the message. ${failureText(failure)}`, true);
};

/** Failure of an SMTP session: 4yz replies may pass by themselves, 5yz do not (RFC 5321 4.2.1). */
const outcomeOf = (error: unknown): SendOutcome => {
  const message = error instanceof Error ? error.message : String(error);
  const reply = replyOf(error);
  if (reply === null) return unansweredBy(failureOf(error));
  const isRetryable = reply >= 400 && reply < 500;
  const cause =
    !isRetryable && error instanceof Error && isAboutAddress(error, reply) ? 'recipient_refused' : 'rejected';
  return {
    ...failed(cause, `The mail server answered ${reply}: ${message}`, isRetryable),
    excerpt: message.slice(0, 1_000),
  };
};

/** Headers by which a mail client offers to unsubscribe by one click (RFC 2369, RFC 8058). */
const unsubscribeHeaders = (url: string | null): Readonly<Record<string, string>> =>
  url === null ? {} : { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

/** Reply to a mail that was taken, with the addresses that the server refused among several. */
const excerptOf = ({ response, rejected }: { readonly response: string; readonly rejected: readonly unknown[] }) =>
  (rejected.length === 0 ? response : `Refused for ${rejected.map(String).join(', ')}. ${response}`).slice(0, 1_000);

/** Sends a mail by the server of the channel. Its 250 says that it was taken on, not that it arrived. */
export const sendToEmail: Send<'email'> = async ({ connect }, { tenant, config, credential }, message) => {
  const { host, port, security, from, to } = config;
  const { username, password } = credential;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), TIMEOUT_MS);
  const limit = AbortSignal.any([message.signal, deadline.signal]);
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(username !== undefined && password !== undefined && { auth: { user: username, pass: password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // No file and no address of a message is ever read.
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket(_options, callback) {
      connect({ host, port, tenant, timeoutMs: TIMEOUT_MS }).then(
        (connection) => {
          limit.addEventListener('abort', () => connection.destroy(), { once: true });
          if (limit.aborted) connection.destroy();
          callback(null, { connection });
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  try {
    const sent = await transport.sendMail({
      from,
      to: message.address ?? [...to],
      subject: message.subject ?? '',
      messageId: `<${message.deliveryId}@landfall.invalid>`,
      headers: {
        'X-Svc-Correlation-Id': message.correlationId,
        'Auto-Submitted': 'auto-generated',
        ...unsubscribeHeaders(message.unsubscribeUrl),
      },
      ...partsOf(message),
    });
    return {
      kind: 'accepted',
      state: 'sent',
      httpStatus: null,
      externalId: sent.messageId,
      excerpt: excerptOf(sent),
    };
  } catch (error) {
    return limit.aborted
      ? failed('timeout', 'The mail server did not end the session in 30 s.', true)
      : outcomeOf(error);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
};
