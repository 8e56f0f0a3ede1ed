import { testApp } from '@landfall/kernel/testing/app';
import { people } from '@landfall/kernel/testing/callers';
import { createAirGap } from '../index.ts';

export const { 'airgap-operator': operator, 'airgap-viewer': viewer } = people;

/** The air gap over a database of its own. */
export const airgapApp = () => testApp({ createModule: (deps) => createAirGap(deps) });
