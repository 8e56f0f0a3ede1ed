import type { Problem } from '../../lib/problem.ts';
import { t } from './labels.ts';

/** Checks that a passkey can be made on this page: secure, on the authority's host, no address (WebAuthn 5.1.3). */
export function canRegisterPasskey(
  accountUrl: string,
  cellStates: Pick<Location, 'hostname'>,
  isSecure: boolean,
): boolean {
  const { hostname } = new URL(accountUrl);
  return isSecure && hostname === cellStates.hostname && !/^[\d.]+$|:/.test(hostname);
}

/** Creates a passkey in the browser and sends its response to the server unchanged. */
export async function createPasskey(options: string): Promise<string | Problem> {
  try {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
    const created = await navigator.credentials.create({ publicKey });
    if (created instanceof PublicKeyCredential) return JSON.stringify(created.toJSON());
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidStateError')
      return refused(t('passkey.alreadyRegistered'));
  }
  return refused(t('passkey.cancelled'));
}

const refused = (message: string): Problem => ({ code: 'PASSKEY_NOT_MADE', message, fields: [], answered: true });
