import type { Who } from '@landfall/kernel/core/caller';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Certificate } from '@landfall/kernel/http/client-certificates';

/** A request to an endpoint of the protocols, as its door hands it over. */
export interface ProtocolRequest {
  /** The `Authorization` header; a list when there are several. */
  readonly authorization: string | readonly string[] | undefined;
  /** The parsed body: a form, whatever else was sent, or nothing. */
  readonly body: unknown;
  readonly requestId: string;
  /** The `DPoP` header (RFC 9449 4.1); a list when there are several. */
  readonly dpop: string | readonly string[] | undefined;
  /** What the client presented to the listener, or to a configured proxy before it (RFC 8705). */
  readonly certificate: Certificate | undefined;
  /** The route's own path: a proof is made for it (RFC 9449 4.2), whatever host the request names. */
  readonly path: string;
  /** The peer's, for back-off. */
  readonly address: string;
}

/** The actor of an audit row that a protocol request wrote: a client or a person, whom no token has named. */
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
