import type { DemoChapter } from '@landfall/kernel/demo/chapter';
import Type from 'typebox';
import { tryKit } from './kit.ts';

const Changed = Type.Object({ setEgressPolicy: Type.Object({ version: Type.Integer() }) });

const SET_POLICY = `mutation ($policy: EgressPolicyInput!) {
  setEgressPolicy(input: { policy: $policy }) { version }
}`;

/** Policy of a site whose services all run on this machine, so that sealing it stops nothing of the demo. */
const policy = {
  allowLoopback: true,
  allowPrivateNetworks: false,
  allowRules: [],
  remediationDocumentationUrl: 'https://wiki.acme.example/egress',
  supportContact: 'platform@acme.example',
};

/** Sets an egress policy, leaves the environment unsealed, and tries an offline kit. */
export const airgapChapter: DemoChapter = {
  order: 37,
  open: async (stage) => ({
    async create({ admin }) {
      await admin.ask(SET_POLICY, { policy }, Changed);
      await tryKit(stage, admin);
      return {};
    },
  }),
};
