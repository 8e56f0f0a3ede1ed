import type { Caller } from '@landfall/kernel/caller';
import { Fault } from '@landfall/kernel/fault';
import { exampleId, idOf } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import type { CallOptions, Operation } from '@landfall/kernel/operation';
import Type from 'typebox';
import { readsReleases } from '../scopes.ts';
import type { TrustSource } from '../verification/trust-source.ts';
import * as store from './attestations.store.ts';
import { recipeOf } from './recipe.ts';
import { bundleOf } from './shown.ts';
import { takeApart } from './taken.ts';

const input = Type.Object({ ref: idOf('Attestation') });
const example = { ref: exampleId('Attestation') };

const attestationNotFound = (ref: string): Fault =>
  new Fault('RES_NOT_FOUND', `There is no statement ${ref} in the log.`, { ref });

interface AttestationsDeps extends Pick<Deps, 'operation'> {
  readonly trust: TrustSource;
}

/** Statements of ours, read by their reference: there is none before a statement is signed and in the log. */
export const createAttestations = ({ operation, trust }: AttestationsDeps) => {
  const bundle = operation({
    name: 'attestation.recipe',
    kind: 'read',
    scope: readsReleases,
    input,
    raises: ['RES_NOT_FOUND'],
    example,
    async run(who, { ref }, query) {
      const found = await store.find(query, who.tenant, ref);
      if (!found || !store.isAttested(found)) throw attestationNotFound(ref);
      return bundleOf(found);
    },
  });

  /** The keys are asked for once the connection that read the bundle is given back. */
  const recipe = async (caller: Caller, asked: unknown, options?: CallOptions): Promise<string> =>
    recipeOf(takeApart(await bundle(caller, asked, options), await trust.current()));

  return {
    get: operation({
      name: 'attestation.get',
      kind: 'read',
      scope: readsReleases,
      input,
      raises: ['RES_NOT_FOUND'],
      example,
      async run(who, { ref }, query) {
        const [found] = await store.listAttested(query, who.tenant, [ref]);
        if (!found) throw attestationNotFound(ref);
        return found;
      },
    }),

    /** Shell commands that check a statement in its directory of the archive. */
    recipe: Object.assign(recipe, { spec: bundle.spec }) satisfies Operation<string>,
  };
};

export type Attestations = ReturnType<typeof createAttestations>;
