import type { Clock } from '@landfall/kernel/core/clock';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { HttpClient } from '@landfall/kernel/http/client';
import type { Connect } from '@landfall/kernel/system/connect';
import type { ChannelType } from '../templates/document.ts';
import type { ChannelConfigs, ChannelCredentials } from './channel-config.ts';
import type { OutgoingMessage, SendOutcome } from './send-outcome.ts';

export interface SendSurroundings {
  readonly http: HttpClient;
  readonly connect: Connect;
  readonly clock: Clock;
}

/** Channel with its credential opened. */
export interface Destination<T extends ChannelType> {
  readonly tenant: TenantId;
  readonly type: T;
  readonly config: ChannelConfigs[T];
  readonly credential: T extends keyof ChannelCredentials ? ChannelCredentials[T] : undefined;
  /** Secrets in force that sign a webhook's deliveries, the newest first. */
  readonly secrets: readonly string[];
}

/** Makes one attempt. Failures are outcomes; what it throws is a bug. */
export type Send<T extends ChannelType> = (
  surroundings: SendSurroundings,
  destination: Destination<T>,
  message: OutgoingMessage,
) => Promise<SendOutcome>;
