import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import type { SealedProvider } from './providers.store.ts';
import { createVault, type VaultAccess } from './vault.ts';

/** Sealed for this provider alone. */
const place = (provider: string): string => `secret-provider/${provider}`;

export type Vaults = ReturnType<typeof createVaults>;

/** A tenant's vaults: their tokens are opened here and go nowhere but into a request. */
export const createVaults = ({ secrets, http }: Pick<Deps, 'secrets' | 'http'>) => {
  const vault = createVault(http);

  /** A token that does not open, its root key being gone, makes the vault one that cannot be asked. */
  const access = (who: Who, { id, name, address, mount, token: sealed }: SealedProvider): VaultAccess | Fault => {
    try {
      const token = secrets.open(who.tenant, place(id), sealed).toString('utf8');
      return { address, mount, token, tenant: who.tenant, correlationId: who.correlationId };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return new Fault('SYS_VAULT_ERROR', `The token of the secret provider ${name} does not open. ${why}`, { name });
    }
  };

  return {
    seal: (tenant: TenantId, provider: string, token: string): Buffer => secrets.seal(tenant, place(provider), token),

    /** Why a vault at this address will never be asked, though an administrator names it; nothing where it may be. */
    refusal: (tenant: TenantId, address: string): string | undefined =>
      http.refusal({ url: address, tenant, vouched: new Set([new URL(address).origin]) })?.message,

    /** Asks over the network. */
    async read(who: Who, provider: SealedProvider, path: string) {
      const opened = access(who, provider);
      return opened instanceof Fault ? opened : vault.read(opened, path);
    },

    /** Asks a vault that is not saved, by a token in the clear. */
    tryOut: (who: Who, given: Pick<VaultAccess, 'address' | 'mount' | 'token'>): Promise<Fault | undefined> =>
      vault.ping({ ...given, tenant: who.tenant, correlationId: who.correlationId }),

    async ping(who: Who, provider: SealedProvider): Promise<Fault | undefined> {
      const opened = access(who, provider);
      return opened instanceof Fault ? opened : vault.ping(opened);
    },
  };
};
