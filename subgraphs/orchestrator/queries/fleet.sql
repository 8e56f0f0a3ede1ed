1 × orchestrator.agents.list
1 × orchestrator.environments.listByIds
1 × orchestrator.targets.listByAgents
1 × orchestrator.targets.listUses
