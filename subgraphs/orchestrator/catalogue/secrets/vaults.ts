import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import type { SealedProvider } from './providers.store.ts';
import { createVault, type VaultAccess } from './vault.ts';

/** Sealing context of a provider's token: it cannot be opened for another provider. */
const rowPath = (provider: string): string => `secret-provider/${provider}`;

export type Vaults = ReturnType<typeof createVaults>;

/** Creates the client of a tenant's vaults. Tokens are opened here and only sent in requests. */
export const createVaults = ({ secrets, http }: Pick<Deps, 'secrets' | 'http'>) => {
  const vault = createVault(http);

  /** Opens the token of a provider. One that cannot be opened (the root key is lost) makes the vault unavailable. */
  const access = (caller: Who, { id, name, address, mount, token: sealed }: SealedProvider): VaultAccess | Fault => {
    try {
      const token = secrets.open(caller.tenant, rowPath(id), sealed).toString('utf8');
      return { address, mount, token, tenant: caller.tenant, correlationId: caller.correlationId };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return new Fault('SYS_VAULT_ERROR', `The token of the secret provider ${name} does not open. ${reason}`, {
        name,
      });
    }
  };

  return {
    seal: (tenant: TenantId, provider: string, token: string): Buffer => secrets.seal(tenant, rowPath(provider), token),

    /** Returns the reason why the egress policy forbids this address, or undefined. */
    refusal: (tenant: TenantId, address: string): string | undefined =>
      http.refusal({ url: address, tenant, vouched: new Set([new URL(address).origin]) })?.message,

    /** Reads a secret of a saved vault. Uses the network. */
    async read(caller: Who, provider: SealedProvider, path: string) {
      const opened = access(caller, provider);
      return opened instanceof Fault ? opened : vault.read(opened, path);
    },

    /** Probes a vault with unsaved settings, by a token in the clear. */
    tryOut: (caller: Who, values: Pick<VaultAccess, 'address' | 'mount' | 'token'>): Promise<Fault | undefined> =>
      vault.ping({ ...values, tenant: caller.tenant, correlationId: caller.correlationId }),

    async ping(caller: Who, provider: SealedProvider): Promise<Fault | undefined> {
      const opened = access(caller, provider);
      return opened instanceof Fault ? opened : vault.ping(opened);
    },
  };
};
