import { MAX_SECRET } from '@landfall/agent/protocol/limits';
import type { Who } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Query } from '@landfall/kernel/db/query';
import type { Deps } from '@landfall/kernel/module';
import { parseReference, type SecretReference } from '../../shared/secret-reference.ts';
import * as providers from './providers.store.ts';
import * as store from './secrets.store.ts';
import { openSecret } from './secrets.ts';
import type { Vaults } from './vaults.ts';

/** Result of resolving a reference. The value is only ever sealed to the key of the agent that uses it. */
export type Resolved =
  | { readonly status: 'found'; readonly value: string }
  /** `refused`: the vault denies access. `unavailable`: the vault cannot be asked. */
  | { readonly status: 'missing' | 'refused' | 'unavailable'; readonly detail: string };

export type ResolvedReferences = ReadonlyMap<string, Resolved>;

type VaultReference = Extract<SecretReference, { kind: 'vault' }>;

const missing = (detail: string): Resolved => ({ status: 'missing', detail });

const ofFault = ({ code, message }: Fault): Resolved => {
  if (code === 'INT_RESOURCE_NOT_FOUND') return missing(message);
  return { status: code === 'INT_AUTH_FAILED' ? 'refused' : 'unavailable', detail: message };
};

/** Text value at a key. Other types cannot become an environment variable. */
const ofKey = (secret: Readonly<Record<string, unknown>>, key: string): Resolved => {
  const value = Object.hasOwn(secret, key) ? secret[key] : undefined;
  if (value === undefined) return missing(`the secret has no key ${key}`);
  if (typeof value !== 'string' || value.includes('\0')) return missing(`the key ${key} holds no text`);
  return value.length > MAX_SECRET
    ? missing(`the key ${key} holds more than ${MAX_SECRET} characters`)
    : { status: 'found', value };
};

interface SourceDeps extends Pick<Deps, 'database' | 'secrets'> {
  readonly vaults: Pick<Vaults, 'read'>;
}

export type SecretSource = ReturnType<typeof createSecretSource>;

/** Creates the resolver of secret references on the server; those of an agent's own host are not resolved here. */
export const createSecretSource = ({ database, secrets, vaults }: SourceDeps) => {
  const opened = (tenant: TenantId, sealed: store.SealedSecret): Resolved => {
    try {
      return { status: 'found', value: openSecret(secrets, tenant, sealed) };
    } catch (error) {
      return { status: 'unavailable', detail: error instanceof Error ? error.message : 'it does not open' };
    }
  };

  return {
    /** Resolves references to the built-in store. */
    async fromStore(query: Query, tenant: TenantId, references: readonly string[]): Promise<ResolvedReferences> {
      const names = references.filter((text) => parseReference(text)?.kind === 'builtin');
      const found = await store.listSealed(query, tenant, names);
      const known = new Map(found.map((sealed) => [sealed.name, opened(tenant, sealed)]));
      return new Map(names.map((name) => [name, known.get(name) ?? missing('there is no such secret')]));
    },

    /** Resolves references to vaults. Uses the network, so never call it in a transaction. */
    async fromVaults(caller: Who, references: readonly string[]): Promise<ResolvedReferences> {
      const requested = references.flatMap((text) => {
        const reference = parseReference(text);
        return reference?.kind === 'vault' ? [{ text, ...reference }] : [];
      });
      if (requested.length === 0) return new Map();
      const names = [...new Set(requested.map(({ provider }) => provider))];
      const known = await database.read(caller.tenant, (query) => providers.listSealed(query, caller.tenant, names));
      // Several keys of one secret are asked for once, and so are of one version.
      const reads = new Map<string, ReturnType<Vaults['read']>>();
      const ask = ({ provider: name, path }: VaultReference): ReturnType<Vaults['read']> | Fault => {
        const provider = known.find((each) => each.name === name);
        if (!provider) return new Fault('INT_RESOURCE_NOT_FOUND', `there is no secret provider ${name}`);
        if (provider.disabledAt) return new Fault('INT_CONNECTION_FAILED', `the secret provider ${name} is disabled`);
        const asking = reads.get(`${name}/${path}`) ?? vaults.read(caller, provider, path);
        reads.set(`${name}/${path}`, asking);
        return asking;
      };
      const answers = requested.map(async ({ text, ...reference }) => {
        const secret = await ask(reference);
        return [text, secret instanceof Fault ? ofFault(secret) : ofKey(secret, reference.key)] as const;
      });
      return new Map(await Promise.all(answers));
    },
  };
};
