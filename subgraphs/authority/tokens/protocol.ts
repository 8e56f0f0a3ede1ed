import type { Who } from '@landfall/kernel/caller';
import type { TenantId } from '@landfall/kernel/ids';

/** A request to /token, /introspect or /revoke, as its door hands it over. */
export interface ProtocolRequest {
  /** The `Authorization` header; a list when there are several. */
  readonly authorization: string | readonly string[] | undefined;
  /** The parsed body: a form, whatever else was sent, or nothing. */
  readonly body: unknown;
  readonly requestId: string;
}

/** The actor of an audit row that a protocol request wrote: a client or a person, whom no token has named. */
export const actor = (
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
