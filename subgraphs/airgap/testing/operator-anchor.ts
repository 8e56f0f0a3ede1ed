import { generateKeyPairSync, sign } from 'node:crypto';
import { pae } from '@landfall/kernel/crypto/dsse';
import { ANCHOR_TYPE } from '../time/verify-anchor.ts';

/** Key of an operator whose statements of the time a site trusts. */
export const operatorKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    pem: String(publicKey.export({ format: 'pem', type: 'spki' })),
    /** Time anchor in base64: the signed statement. */
    state(statement: object): string {
      const payload = Buffer.from(JSON.stringify(statement));
      const sig = sign('sha256', pae(ANCHOR_TYPE, payload), privateKey).toString('base64');
      const payloadText = payload.toString('base64');
      const envelope = { payloadType: ANCHOR_TYPE, payload: payloadText, signatures: [{ keyid: '', sig }] };
      return Buffer.from(JSON.stringify(envelope)).toString('base64');
    },
  };
};
