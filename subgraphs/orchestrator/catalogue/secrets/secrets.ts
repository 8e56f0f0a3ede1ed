import { MAX_SECRET } from '@landfall/agent/protocol/limits';
import type { TenantId } from '@landfall/kernel/core/ids';
import type { Secrets as Sealer } from '@landfall/kernel/crypto/secrets';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { secretName } from '../../shared/input.ts';
import { publishEvent } from '../../shared/publish-event.ts';
import { administers, reads } from '../../shared/scopes.ts';
import * as store from './secrets.store.ts';

/** Sealing context of a secret: a sealed value that was moved to another name cannot be opened. */
const rowPath = (name: string): string => `secret/${name}`;

/** Creates the operations of the built-in secret store: values are sealed, and opened only for a deployment. */
export const createSecretStore = ({ operation, secrets }: Deps) => ({
  list: operation({
    name: 'secret.list',
    kind: 'read',
    scope: reads,
    input: Type.Object({}),
    run: (caller, _input, query) => store.list(query, caller.tenant),
  }),

  save: operation({
    name: 'secret.save',
    kind: 'write',
    scope: administers,
    input: Type.Object({ name: secretName, value: Type.String({ minLength: 1, maxLength: MAX_SECRET }) }),
    example: { name: 'database-url', value: 'postgres://localhost/app' },
    async run(caller, { name, value }, tx) {
      const sealed = secrets.seal(caller.tenant, rowPath(name), value);
      const secret = await store.save(tx, caller.tenant, { name, sealed }, caller.subject);
      await publishEvent(tx, caller, 'secret.save', 'Secret', { id: name, version: secret.version });
      return secret;
    },
  }),
});

/** Opens a secret for the agent that fills a variable with it; throws an Error when it cannot be opened. */
export const openSecret = (secrets: Sealer, tenant: TenantId, { name, sealed }: store.SealedSecret): string =>
  secrets.open(tenant, rowPath(name), sealed).toString('utf8');
