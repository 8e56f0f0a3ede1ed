import type { Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Certificate } from '@landfall/kernel/http/client-certificates';

export interface ProtocolRequest {
  /** The `Authorization` header; a list when there are several. */
  readonly authorization: string | readonly string[] | undefined;
  readonly body: unknown;
  readonly requestId: string;
  /** The `DPoP` header (RFC 9449 4.1); a list when there are several. */
  readonly dpop: string | readonly string[] | undefined;
  /** Client certificate of the connection, or of the configured proxy's (RFC 8705). */
  readonly certificate: Certificate | undefined;
  /** Path of the route, which DPoP proofs name (RFC 9449 4.2), whatever the Host header. */
  readonly path: string;
  /** Peer address, for back-off. */
  readonly address: string;
}

/** Caller of an audit event from a protocol request: a client or person without a token. */
export const auditActor = (
  tenant: TenantId,
  subject: string,
  kind: 'user' | 'client',
  { requestId }: Pick<ProtocolRequest, 'requestId'>,
): Who => ({
  tenant,
  subject,
  clientId: subject,
  scopes: new Set(),
  kind,
  correlationId: requestId,
  assertedTenants: [],
});
