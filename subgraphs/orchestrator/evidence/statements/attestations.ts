import { splitBundle, UnknownBundle } from '@landfall/attestation/archive/bundle-files';
import { recipeOf } from '@landfall/attestation/archive/verification-commands';
import { MalformedBundle } from '@landfall/attestation/bundle/parse-bundle';
import type { Trust } from '@landfall/attestation/bundle/trust';
import type { TrustSource } from '@landfall/attestation/bundle/trust-source';
import * as store from '@landfall/attestation/statements/attestations.store';
import { bundleOf } from '@landfall/attestation/statements/statement-view';
import type { Caller } from '@landfall/kernel/core/caller';
import { Fault } from '@landfall/kernel/core/fault';
import { exampleId, idOf } from '@landfall/kernel/core/ids';
import type { Deps } from '@landfall/kernel/module';
import type { CallOptions, Operation } from '@landfall/kernel/operation/operation';
import Type from 'typebox';
import { readsReleases } from '../../shared/scopes.ts';

/** Limit of recipes in one request. */
export const MAX_RECIPES = 50;

const input = Type.Object({ ref: idOf('Attestation') });
const example = { ref: exampleId('Attestation') };

const attestationNotFound = (ref: string): Fault =>
  new Fault('RES_NOT_FOUND', `There is no statement ${ref} in the log.`, { ref });

/** Recipe of one stored bundle; empty when the bundle was corrupted, so that the other recipes are still returned. */
const recipeIn = (bundle: string, trusted: Trust): string => {
  try {
    return recipeOf(splitBundle(bundle, trusted));
  } catch (error) {
    if (error instanceof MalformedBundle || error instanceof UnknownBundle)
      return `echo 'REFUSED: the stored bundle cannot be read' >&2\nexit 1\n`;
    throw error;
  }
};

interface AttestationsDeps extends Pick<Deps, 'operation'> {
  readonly trust: TrustSource;
}

/** Creates the operations that read attestations by reference, which a statement has once it is signed and logged. */
export const createAttestations = ({ operation, trust }: AttestationsDeps) => {
  const bundles = operation({
    name: 'attestation.recipes',
    kind: 'read',
    scope: readsReleases,
    input: Type.Object({ refs: Type.Array(idOf('Attestation'), { minItems: 1, maxItems: MAX_RECIPES }) }),
    raises: ['RES_NOT_FOUND'],
    example: { refs: [exampleId('Attestation')] },
    async run(caller, { refs }, query) {
      const found = new Map((await store.listWholeByIds(query, caller.tenant, refs)).map((row) => [row.id, row]));
      return refs.map((ref) => {
        const row = found.get(ref);
        if (!row || !store.isAttested(row)) throw attestationNotFound(ref);
        return bundleOf(row);
      });
    },
  });

  /** Reads the bundles, and the trusted keys after their connection was returned to the pool. */
  const recipes = async (caller: Caller, body: unknown, options?: CallOptions): Promise<readonly string[]> => {
    const found = await bundles(caller, body, options);
    const trusted = await trust.current();
    return found.map((bundle) => recipeIn(bundle, trusted));
  };

  return {
    get: operation({
      name: 'attestation.get',
      kind: 'read',
      scope: readsReleases,
      input,
      raises: ['RES_NOT_FOUND'],
      example,
      async run(caller, { ref }, query) {
        const [found] = await store.listAttested(query, caller.tenant, [ref]);
        if (!found) throw attestationNotFound(ref);
        return found;
      },
    }),

    /** Shell commands that check each of these statements in its directory of the archive. */
    recipes: Object.assign(recipes, { spec: bundles.spec }) satisfies Operation<readonly string[]>,
  };
};
