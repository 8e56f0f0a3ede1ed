1 × orchestrator.environments.list
4 × orchestrator.release_components.listOf
4 × orchestrator.release_evidence.listOf
4 × orchestrator.releases.listByIds
2 × orchestrator.rollback.listNewestByEnvironments
3 × orchestrator.rollback.listNewestIn
1 × orchestrator.rollback.listProductsByEnvironments
3 × orchestrator.rollback.listVerifiedIn
