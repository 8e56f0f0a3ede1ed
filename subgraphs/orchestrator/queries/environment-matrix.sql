1 × orchestrator.deployments.listByIds
1 × orchestrator.deployments.listCurrentOfAll
1 × orchestrator.environments.list
1 × orchestrator.estate.listMatrix
1 × orchestrator.release_components.listOf
1 × orchestrator.release_evidence.listOf
1 × orchestrator.releases.listByIds
