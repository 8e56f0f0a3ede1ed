import type { DemoChapter } from '@landfall/kernel/demo/chapter';
import Type from 'typebox';

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

/** Sets an egress policy, and leaves the environment unsealed. */
export const airgapChapter: DemoChapter = {
  order: 37,
  open: async () => ({
    async create({ admin }) {
      await admin.ask(SET_POLICY, { policy }, Changed);
      return {};
    },
  }),
};
