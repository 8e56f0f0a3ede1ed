import type { Clock } from '@landfall/kernel/core/clock';
import { sha256Hex } from '@landfall/kernel/crypto/digest';
import type { Secrets } from '@landfall/kernel/crypto/secrets';
import { parser } from '@landfall/kernel/operation/input';
import Type, { type Static, type TSchema } from 'typebox';
import type { Cookies } from './cookies.ts';

/** Sealing context without a tenant: tickets are read before the tenant is known. */
const SEALED_FOR = 'authority/sign-in-ticket';

const envelope = Type.Object({
  use: Type.String(),
  browser: Type.String(),
  expiresAt: Type.Integer(),
  content: Type.Unknown(),
});
const readEnvelope = parser(envelope);

interface Ports {
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  readonly cookies: Pick<Cookies, 'formValue'>;
}

const quietly = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Seals data that travels from one page to the next, bound to the browser and to the purpose `use`. */
export const createTicket = <S extends TSchema>(
  { clock, secrets, cookies }: Ports,
  { use, schema, aliveMs }: { readonly use: string; readonly schema: S; readonly aliveMs: number },
) => {
  const read = parser(schema);
  const browserOf = (header: string | undefined): string | undefined => {
    const value = cookies.formValue(header);
    return value === undefined ? undefined : sha256Hex(value);
  };

  return {
    /** Seals data for the browser's form cookie; undefined without one. */
    seal(header: string | undefined, content: Static<S>): string | undefined {
      const browser = browserOf(header);
      if (browser === undefined) return undefined;
      const expiresAt = clock.now().getTime() + aliveMs;
      return secrets
        .seal('authority', SEALED_FOR, JSON.stringify({ use, browser, expiresAt, content }))
        .toString('base64url');
    },
    /** Opens a ticket; undefined when it is forged, expired, of another browser or another use. */
    open(header: string | undefined, sealed: string | undefined): Static<S> | undefined {
      if (sealed === undefined || sealed.length > 8_000) return undefined;
      const found = quietly(() =>
        readEnvelope(JSON.parse(secrets.open('authority', SEALED_FOR, Buffer.from(sealed, 'base64url')).toString())),
      );
      const isOwn = found?.use === use && found.browser === browserOf(header);
      return isOwn && found.expiresAt > clock.now().getTime() ? quietly(() => read(found.content)) : undefined;
    },
  };
};
