1 × orchestrator.environments.list
3 × orchestrator.release_components.listOf
3 × orchestrator.release_evidence.listOf
3 × orchestrator.releases.listByIds
2 × orchestrator.rollback.listNewestByEnvironments
2 × orchestrator.rollback.listVerifiedByEnvironments
