/** Message that is ready to be sent. */
export interface OutgoingMessage {
  readonly deliveryId: string;
  /** From 1. */
  readonly attempt: number;
  /** Address of a person, which takes the place of the channel's own. */
  readonly address: string | null;
  /** Whether somebody tests the channel. */
  readonly isTest?: boolean;
  /** Page on which the person ends messages of the kind; null where there is none. */
  readonly unsubscribeUrl: string | null;
  /** Receiver's id of an earlier message that this one takes the place of, where the receiver can; null for a new message. */
  readonly updates: string | null;
  readonly subject: string | null;
  readonly body: string;
  /** Plain-text part of an HTML mail. */
  readonly textPart: string | null;
  readonly contentType: string;
  readonly correlationId: string;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
}

/** Classes of failures, as dead letters name their cause. */
export const FAILURE_CAUSES = [
  'http_status',
  'rate_limited',
  'timeout',
  'network',
  'tls',
  'egress_refused',
  'rejected',
  /** The mail server knows the address and takes nothing for it, now or later. */
  'recipient_refused',
  /** The person removed the address, or it was suppressed, after the message was routed. */
  'address_removed',
  'channel_disabled',
  'credential',
] as const;
export type FailureCause = (typeof FAILURE_CAUSES)[number];

/** Result of one attempt. */
export type SendOutcome =
  | {
      readonly kind: 'accepted';
      /** `delivered` where the receiver confirms that it has the message, `sent` where only the transport took it. */
      readonly state: 'sent' | 'delivered';
      readonly httpStatus: number | null;
      /** Id by which the receiver knows the message. */
      readonly externalId: string | null;
      readonly excerpt: string | null;
    }
  | {
      readonly kind: 'failed';
      readonly cause: FailureCause;
      /** Whether a later attempt may succeed (spec 8). */
      readonly isRetryable: boolean;
      /** Pause that the receiver asks for, in milliseconds. */
      readonly retryAfterMs: number | null;
      readonly httpStatus: number | null;
      /** Words for people. */
      readonly error: string;
      readonly excerpt: string | null;
    };

/** Failure without an answer of the receiver. */
export const failed = (cause: FailureCause, error: string, isRetryable: boolean): SendOutcome => ({
  kind: 'failed',
  cause,
  isRetryable,
  retryAfterMs: null,
  httpStatus: null,
  error,
  excerpt: null,
});
