import { Fault } from '@landfall/kernel/core/fault';
import { thumbprintOf } from '@landfall/kernel/http/client-certificates';
import type { Dpop } from '@landfall/kernel/identity/dpop';
import type { ProtocolRequest } from '../protocol/protocol-request.ts';
import type { Client } from './clients.store.ts';

/** The `cnf` claim (RFC 7800): the key that whoever uses the token must prove. */
export type Confirmation = { readonly jkt: string } | { readonly 'x5t#S256': string };

/** What binds a family's tokens; a refresh never issues weaker ones. */
export type SenderKind = 'dpop' | 'mtls';

/** How a token is bound that has this claim. */
export const kindOf = (cnf: Confirmation | undefined): SenderKind | undefined =>
  cnf && ('jkt' in cnf ? 'dpop' : 'mtls');

/** What a request has proved of its sender. */
export interface SenderProof {
  /** The thumbprint of its DPoP key (RFC 9449 6.1). */
  readonly jkt: string | undefined;
  /** The SHA-256 thumbprint of its certificate (RFC 8705 3.1). */
  readonly thumbprint: string | undefined;
}

/** How tokens are bound, or that they are not. */
export interface Binding {
  readonly kind: SenderKind;
  readonly cnf: Confirmation;
}

export interface SenderProofs {
  /** @throws Fault invalid_dpop_proof, use_dpop_nonce */
  proofOf(request: ProtocolRequest, accessToken?: string): Promise<SenderProof>;
}

export const createSenderProofs = (dpop: Pick<Dpop, 'prove'>, issuer: string): SenderProofs => ({
  async proofOf({ dpop: proof, certificate, path }, accessToken) {
    return {
      jkt:
        proof === undefined ? undefined : await dpop.prove({ proof, method: 'POST', url: issuer + path, accessToken }),
      thumbprint: certificate && thumbprintOf(certificate),
    };
  },
});

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
 * How the tokens of this request are bound: as the client is registered (RFC 9449 5.2, RFC 8705 3.4) and as what came
 * before was, else to the key of the proof that came along, if one did.
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

/** The thumbprint of the DPoP key that tokens are bound to. */
export const jktOf = (binding: Binding | undefined): string | null =>
  binding && 'jkt' in binding.cnf ? binding.cnf.jkt : null;

/** Whether a request has proved the key that a token is bound to; a token bound to nothing needs no proof. */
export const isProved = (cnf: Confirmation | undefined, { jkt, thumbprint }: SenderProof): boolean =>
  cnf === undefined || ('jkt' in cnf ? cnf.jkt === jkt : cnf['x5t#S256'] === thumbprint);
