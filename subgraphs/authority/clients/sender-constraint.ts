import { Fault } from '@landfall/kernel/core/fault';
import { thumbprintOf } from '@landfall/kernel/http/client-certificates';
import type { Dpop } from '@landfall/kernel/identity/dpop';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import type { Client } from './clients.store.ts';

/** Confirmation claim `cnf` (RFC 7800): the key the sender must prove. */
export type Confirmation = { readonly jkt: string } | { readonly 'x5t#S256': string };

/** Kind of binding of a family's tokens; a refresh never weakens it. */
type SenderKind = 'dpop' | 'mtls';

/** Kind of binding of a `cnf` claim. */
export const kindOf = (cnf: Confirmation | undefined): SenderKind | undefined =>
  cnf && ('jkt' in cnf ? 'dpop' : 'mtls');

/** Keys that a request proved possession of. */
export interface SenderProof {
  /** Thumbprint of its DPoP key (RFC 9449 6.1). */
  readonly jkt: string | undefined;
  /** SHA-256 thumbprint of its certificate (RFC 8705 3.1). */
  readonly thumbprint: string | undefined;
}

export interface Binding {
  readonly kind: SenderKind;
  readonly cnf: Confirmation;
}

export const createSenderProofs = (dpop: Pick<Dpop, 'prove'>, issuer: string) => ({
  /** @throws Fault invalid_dpop_proof, use_dpop_nonce */
  async proofOf({ dpop: proof, certificate, path }: ProtocolRequest, accessToken?: string): Promise<SenderProof> {
    return {
      jkt:
        proof === undefined ? undefined : await dpop.prove({ proof, method: 'POST', url: issuer + path, accessToken }),
      thumbprint: certificate && thumbprintOf(certificate),
    };
  },
});

export type SenderProofs = ReturnType<typeof createSenderProofs>;

const missing = (message: string): Fault => new Fault('invalid_request', message);

const needKey = ({ jkt }: SenderProof): Binding => {
  if (jkt === undefined) throw missing('A DPoP proof is required: tokens of this kind are bound to a key.');
  return { kind: 'dpop', cnf: { jkt } };
};

const needCertificate = ({ thumbprint }: SenderProof): Binding => {
  if (thumbprint === undefined) throw missing('A client certificate is required: tokens of this kind are bound to it.');
  return { kind: 'mtls', cnf: { 'x5t#S256': thumbprint } };
};

/**
 * Binding of the tokens of this request: as the client is registered (RFC 9449 5.2, RFC 8705 3.4), as the family was
 * bound before, else to the key of the DPoP proof, if there is one.
 * @throws Fault invalid_request when a proof is missing
 */
export const bindingOf = (
  client: Pick<Client, 'dpopBound' | 'tlsBound'>,
  sender: SenderProof,
  before?: SenderKind | null,
): Binding | undefined => {
  if (client.tlsBound || before === 'mtls') return needCertificate(sender);
  if (client.dpopBound || before === 'dpop' || sender.jkt !== undefined) return needKey(sender);
  return undefined;
};

/** Thumbprint of the DPoP key of a binding. */
export const jktOf = (binding: Binding | undefined): string | null =>
  binding && 'jkt' in binding.cnf ? binding.cnf.jkt : null;

/** Whether a request has proved the key that a token is bound to; a token bound to nothing needs no proof. */
export const isProved = (cnf: Confirmation | undefined, { jkt, thumbprint }: SenderProof): boolean =>
  cnf === undefined || ('jkt' in cnf ? cnf.jkt === jkt : cnf['x5t#S256'] === thumbprint);
