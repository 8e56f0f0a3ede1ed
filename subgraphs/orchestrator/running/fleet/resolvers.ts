import { revokeRefusal } from '../../catalogue/agents/agent.ts';
import type { Resolvers } from '../../generated.ts';
import { permission } from '../../shared/permission.ts';
import { userOf } from '../../shared/user-reference.ts';

export const agentResolvers = {
  Query: {
    agent: (_, args, { caller, orchestrator }) => orchestrator.agents.get(caller, args),
    agents: (_, __, { caller, orchestrator }) => orchestrator.agents.list(caller, {}),
  },
  Mutation: {
    revokeAgent: (_, { input }, { caller, orchestrator }) => orchestrator.agents.revoke(caller, input),
    createRegistrationToken: (_, { input }, { caller, orchestrator }) => orchestrator.agents.createToken(caller, input),
  },
  Agent: {
    __resolveReference: ({ id }, { loaders }) => loaders.agent.load(id),
    capabilities: ({ capabilities }) => Object.entries(capabilities).map(([driver, version]) => ({ driver, version })),
    revocation: ({ revokedAt, revokedBy, revocationReason }) =>
      revokedAt && revokedBy !== null && revocationReason !== null
        ? { reason: revocationReason, actor: userOf(revokedBy), at: revokedAt }
        : null,
    targets: ({ id }, _, { loaders }) => loaders.targetsOfAgent.load(id),
    viewerCanRevoke: (agent, _, { caller, orchestrator }) =>
      permission(caller, orchestrator.agents.revoke.spec, () => revokeRefusal(agent)),
  },
  Today: {
    silentAgents: async (_, __, { caller, orchestrator }) =>
      (await orchestrator.agents.list(caller, {})).filter(({ state }) => state === 'stale' || state === 'offline'),
  },
  Target: {
    agent: ({ agentId }, _, { loaders }) => (agentId === null ? null : loaders.agent.load(agentId)),
    observations: ({ id }, _, { loaders }) => loaders.observationsOfTarget.load(id),
  },
} satisfies Resolvers;
