import { Fault } from '@landfall/kernel/fault';
import { exampleId, idOf } from '@landfall/kernel/ids';
import type { Deps } from '@landfall/kernel/module';
import Type from 'typebox';
import { readsReleases } from '../scopes.ts';
import * as store from './attestations.store.ts';

export const attestationNotFound = (ref: string): Fault =>
  new Fault('RES_NOT_FOUND', `There is no statement ${ref} in the log.`, { ref });

/** Statements of ours, read by their reference: there is none before a statement is signed and in the log. */
export const createAttestations = ({ operation }: Pick<Deps, 'operation'>) => ({
  get: operation({
    name: 'attestation.get',
    kind: 'read',
    scope: readsReleases,
    input: Type.Object({ ref: idOf('Attestation') }),
    raises: ['RES_NOT_FOUND'],
    example: { ref: exampleId('Attestation') },
    async run(who, { ref }, query) {
      const [found] = await store.listAttested(query, who.tenant, [ref]);
      if (!found) throw attestationNotFound(ref);
      return found;
    },
  }),
});

export type Attestations = ReturnType<typeof createAttestations>;
