/** Codes of every answer of Landfall: those of spec 7.2 and the modules' own. REST, GraphQL and docs read them here. */

/** The categories of spec 7.1; a category and its statuses belong together. */
type Kind =
  | { readonly status: 401; readonly category: 'authentication' }
  | { readonly status: 403; readonly category: 'permission' }
  | { readonly status: 400; readonly category: 'validation' }
  | { readonly status: 404 | 409; readonly category: 'resource' }
  | { readonly status: 422 | 429; readonly category: 'domain' }
  | { readonly status: 500; readonly category: 'system' };

export type Code = Kind & {
  /** True when the same request may succeed a little later although nobody removed the cause. */
  readonly retryable: boolean;
  readonly meaning: string;
  /** The name the OAuth dialect writes where it is not the code itself. */
  readonly wire?: string;
};

/** Maker of the codes of one kind. */
const kind =
  <const K extends Kind>(of: K, retryable = false) =>
  (meaning: string) => ({ ...of, retryable, meaning });

const authentication = kind({ status: 401, category: 'authentication' });
const permission = kind({ status: 403, category: 'permission' });
const validation = kind({ status: 400, category: 'validation' });
const missing = kind({ status: 404, category: 'resource' });
const conflict = kind({ status: 409, category: 'resource' });
const domain = kind({ status: 422, category: 'domain' });
const exhausted = kind({ status: 429, category: 'domain' }, true);
const system = kind({ status: 500, category: 'system' });

/** Marks a code whose cause passes by itself. */
const transient = <C extends Code>(code: C) => ({ ...code, retryable: true });

export const codes = {
  // spec 7.2, authentication
  AUTH_TOKEN_MISSING: authentication('The request carries neither a token nor a verified client certificate.'),
  AUTH_TOKEN_INVALID: authentication('The token cannot be read, or its signature, issuer or audience is wrong.'),
  AUTH_TOKEN_EXPIRED: authentication('The token is past its expiry.'),
  AUTH_TOKEN_REVOKED: authentication('The token was revoked before it expired.'),
  AUTH_AGENT_CERT_INVALID: authentication(
    'The agent’s client certificate is absent, foreign, revoked or names another agent.',
  ),
  AUTH_AGENT_CERT_EXPIRED: authentication('The agent’s client certificate has run out; the agent must register again.'),
  AUTH_API_KEY_INVALID: authentication('The API key is unknown or disabled.'),

  // spec 7.2, permission
  PERM_DENIED: permission('The caller may not do this, and no narrower reason applies.'),
  PERM_RESOURCE_DENIED: permission('The caller’s roles do not reach this environment, target or release.'),
  PERM_ACTION_DENIED: permission('The caller may read this resource but not act on it in this way.'),
  PERM_SCOPE_DENIED: permission('The token lacks a scope that the operation needs.'),
  PERM_SOD_VIOLATION: permission('The environment separates duties, and the caller already had another part in this.'),
  PERM_SELF_APPROVAL: permission('Nobody approves a promotion they requested.'),
  PERM_TENANT_MISMATCH: permission('The request names a tenant that is not the caller’s.'),

  // spec 7.2, validation
  VAL_REQUIRED_FIELD: validation('A required field is absent, null or blank.'),
  VAL_INVALID_FORMAT: validation('A field does not have its format, such as a time zone, duration, URL or name.'),
  VAL_INVALID_VALUE: validation('A field is well formed but outside the allowed values.'),
  VAL_TOO_LONG: validation('A text or list is longer than its limit.'),
  VAL_TOO_SHORT: validation('A text or list is shorter than its minimum.'),
  VAL_INVALID_UUID: validation('An id is not a UUID.'),
  VAL_INVALID_DIGEST: validation('A digest is not `sha256:` followed by 64 hexadecimal digits.'),
  VAL_INVALID_SEMVER: validation('A version does not follow Semantic Versioning 2.0.'),
  VAL_INVALID_JSON: validation('The body is not JSON.'),
  VAL_SCHEMA_MISMATCH: validation(
    'A structured value does not follow its schema, or carries a field that is not in it.',
  ),

  // spec 7.2, resource
  RES_NOT_FOUND: missing('There is no such resource for this tenant.'),
  RES_ENVIRONMENT_NOT_FOUND: missing('There is no such environment for this tenant.'),
  RES_RELEASE_NOT_FOUND: missing('There is no such release for this tenant.'),
  RES_PROMOTION_NOT_FOUND: missing('There is no such promotion for this tenant.'),
  RES_TARGET_NOT_FOUND: missing('There is no such target for this tenant.'),
  RES_AGENT_NOT_FOUND: missing('There is no such agent for this tenant.'),
  RES_CONFLICT: conflict('The resource is in a state, or in a use, that does not allow this.'),
  RES_ALREADY_EXISTS: conflict('A resource with the same unique key is already there.'),
  RES_VERSION_CONFLICT: conflict('Somebody changed the resource since the caller read it.'),

  // spec 7.2, environments
  ENV_FROZEN: domain('A freeze window closes the environment to deployments.'),
  ENV_FREEZE_ACTIVE: domain(
    'The environment, its targets and the window itself cannot change while a freeze is active.',
  ),
  ENV_INVALID_ORDER: domain('The order index is taken, or promotion would lead to a lower environment.'),
  ENV_CIRCULAR_PROMOTION: domain('Following automatic promotion from this environment leads back to it.'),
  ENV_QUOTA_EXCEEDED: domain('The tenant has as many environments as its plan allows.'),

  // spec 7.2, releases
  REL_ALREADY_FINALIZED: domain('The release is finalized; its components can no longer change.'),
  REL_NOT_READY: domain('The release is not ready, is on hold, or lacks evidence that it needs.'),
  REL_DIGEST_MISMATCH: domain('The tag resolves to a digest other than the declared or gated one.'),
  REL_TAG_NOT_FOUND: domain('The registry does not know the tag.'),
  REL_COMPONENT_MISSING: domain('The release has no component, or one depends on a component that is not in it.'),
  REL_INVALID_STATUS_TRANSITION: domain('A release in this status cannot move to the requested one.'),
  REL_DEPRECATED: domain('The release is deprecated and is promoted nowhere.'),

  // spec 7.2, promotions
  PROM_ALREADY_EXISTS: domain('An open promotion of this release to this environment is already there.'),
  PROM_NOT_PENDING: domain('The promotion is past the point where it is approved or rejected.'),
  PROM_ALREADY_APPROVED: domain('The promotion already has the approvals it needs.'),
  PROM_ALREADY_REJECTED: domain('The promotion was rejected.'),
  PROM_ALREADY_CANCELLED: domain('The promotion was cancelled.'),
  PROM_DEPLOYING: domain('The promotion is deploying; cancel its deployment instead.'),
  PROM_INVALID_STATE: domain('The promotion’s state does not allow the action.'),
  PROM_APPROVER_REQUIRED: domain('Approvals, or approvers of a required role, are still missing.'),
  PROM_SKIP_ENVIRONMENT: domain('The release has no verified landing in an environment that comes before this one.'),

  // spec 7.2, deployments
  DEPLOY_IN_PROGRESS: transient(domain('Another deployment of this product to the environment is running.')),
  DEPLOY_NO_TARGETS: domain('The environment has no enabled target for this product.'),
  DEPLOY_TARGET_UNHEALTHY: domain('A target failed its health check before its turn.'),
  DEPLOY_AGENT_UNAVAILABLE: transient(domain('No agent that can deploy to a target is online.')),
  DEPLOY_ARTIFACT_MISSING: domain('The registry no longer has a manifest or blob that the release is made of.'),
  DEPLOY_TIMEOUT: transient(domain('The deployment passed its deadline.')),
  DEPLOY_PULL_FAILED: transient(domain('The agent could not pull the image after its retries.')),
  DEPLOY_DIGEST_VERIFICATION_FAILED: domain('What was fetched, or what is running, does not have the gated digest.'),
  DEPLOY_HEALTH_CHECK_FAILED: domain('The new version did not become healthy in time.'),
  DEPLOY_ROLLBACK_IN_PROGRESS: transient(domain('This product is already rolling back in the environment.')),
  DEPLOY_NOTHING_TO_ROLLBACK: domain(
    'The environment has no earlier verified deployment to return to, or its images are gone.',
  ),

  // spec 7.2, gates
  GATE_EVALUATION_FAILED: transient(domain('A gate that must answer could not be evaluated.')),
  GATE_SECURITY_BLOCKED: domain('Findings exceed what the security gate allows.'),
  GATE_POLICY_BLOCKED: domain('A policy of the environment does not hold.'),
  GATE_APPROVAL_BLOCKED: domain('The approval gate is still waiting for somebody.'),
  GATE_TIMEOUT: transient(domain('A gate took longer than its timeout.')),

  // spec 7.2, agents
  AGT_REGISTRATION_FAILED: domain('The token is good, but the agent’s name, version, clock or environment is refused.'),
  AGT_TOKEN_INVALID: domain('The registration token is unknown or has expired.'),
  AGT_TOKEN_USED: domain('The registration token was already used once.'),
  AGT_CERTIFICATE_FAILED: domain('No certificate could be issued for the agent’s request; its token stays unused.'),
  AGT_OFFLINE: transient(domain('The agent does not answer.')),
  AGT_CAPABILITY_MISSING: domain('The agent lacks a driver or capability that the target needs.'),
  AGT_TASK_FAILED: domain('The agent’s task failed for a cause that has no code of its own.'),
  AGT_HEARTBEAT_TIMEOUT: transient(domain('The agent’s heartbeats stopped during a task.')),

  // spec 7.2, integrations
  INT_CONNECTION_FAILED: transient(domain('The integration cannot be reached.')),
  INT_AUTH_FAILED: domain('The integration refuses our credentials.'),
  INT_RATE_LIMITED: transient(domain('The integration’s rate limit is used up for the moment.')),
  INT_TIMEOUT: transient(domain('The integration did not answer in time.')),
  INT_INVALID_RESPONSE: domain('The integration’s answer is not what its protocol promises.'),
  INT_RESOURCE_NOT_FOUND: domain('The repository or commit is absent at the integration.'),

  // spec 7.2, workflows
  WF_TEMPLATE_NOT_FOUND: domain('There is no workflow template of this name and version.'),
  WF_TEMPLATE_INVALID: domain('The workflow template does not validate.'),
  WF_CYCLE_DETECTED: domain('The workflow’s steps need each other in a circle.'),
  WF_STEP_FAILED: domain('A workflow step failed and the run may not go on without it.'),
  WF_ALREADY_RUNNING: transient(domain('A run of this workflow for this subject is still going.')),
  WF_INVALID_STATE: domain('The run or step is in a state that does not allow the action.'),
  WF_EXPRESSION_ERROR: domain('An expression of the workflow cannot be parsed or evaluated.'),

  // spec 7.2, system
  SYS_INTERNAL_ERROR: system('Something failed that should not; the request id finds it in the log.'),
  SYS_DATABASE_ERROR: transient(system('The database did not carry out the operation.')),
  SYS_STORAGE_ERROR: transient(system('An object could not be stored or read back.')),
  SYS_VAULT_ERROR: transient(system('The secret store failed, which is not the same as a secret it does not have.')),
  SYS_QUEUE_ERROR: transient(system('Work was accepted but could not be queued.')),
  SYS_SERVICE_UNAVAILABLE: transient(system('A service that the operation depends on is down.')),
  SYS_OVERLOADED: transient(system('The service is at capacity; the answer says when to come back.')),

  // the orchestrator's and the notifier's own (spec 7.3)
  preflight_failed: domain('A hard preflight check failed, so the deployment is not launched.'),
  delivery_already_completed: conflict('The delivery already landed; there is nothing to retry.'),

  // offline kits of the air-gap (spec 2.7, 4.6)
  root_untrusted: domain('The root of kits lacks signatures of its own keys or of the keys of the root before it.'),
  root_expired: domain('The root of kits has expired; install the next one.'),
  root_out_of_order: conflict('A root of kits is installed after the one before it, and never twice.'),
  kit_untrusted: domain('The kit is not signed by enough keys of the installed root.'),
  kit_root_mismatch: conflict('The kit names another version of the root than the installed one.'),
  kit_revoked: domain('The installed root revokes the kit.'),
  kit_expired: domain('The kit has expired, by the time of the site.'),
  kit_from_future: domain('The kit was created after the time of the site.'),
  kit_rolled_back: conflict('A kit with the same or a higher sequence is installed in its channel.'),
  kit_chain_broken: conflict('The kit continues another kit than the installed one.'),
  kit_part_missing: conflict('Parts or blobs of the kit are missing; the details name them.'),
  kit_part_foreign: domain('A part is not of this kit: its hash or size is another one.'),
  kit_archive_unsafe: domain('The archive has an entry that no kit may have, such as a link or an undeclared file.'),
  kit_content_mismatch: domain('A component is not what the manifest says of it.'),
  kit_attestation_invalid: domain('An attestation of the kit does not verify.'),
  sync_untrusted: domain('The bundle of jobs is not signed by a site that is known here.'),
  sync_replayed: conflict('The bundle of jobs is older than the latest one of its site.'),
  sync_gap: conflict('The bundle of jobs does not follow the latest one of its site; the details say which one does.'),
  sync_ahead: conflict('The bundle of jobs is stamped more than a day ahead of the clock of this site.'),
  // the air gap's own
  airgap_policy_required: domain('An environment without an egress policy cannot be sealed.'),
  airgap_anchor_rejected: validation('The time anchor cannot be read, or its signature, chain or purpose is wrong.'),
  airgap_anchor_replayed: conflict('The time anchor was used before, or is older than the one that counts.'),
  airgap_anchor_foreign: validation('The time anchor answers no challenge of this tenant and installation.'),
  airgap_anchor_unusable: domain('The operation needs a time anchor that is known, trusted and not too old.'),
  airgap_startup_blocked: domain('The tenant was sealed without a usable time anchor when the service started.'),

  // the authority's own: OAuth error names, written by the oauth dialect as they are
  invalid_request: validation('A parameter is absent, repeated or malformed (RFC 6749 5.2).'),
  invalid_client: authentication('Client authentication is absent or failed (RFC 6749 5.2).'),
  invalid_grant: validation(
    'The code, refresh token or password is wrong, used up or another client’s (RFC 6749 5.2).',
  ),
  unauthorized_client: validation('The client is not registered for this grant (RFC 6749 5.2).'),
  unsupported_grant_type: validation('The authority does not offer this grant (RFC 6749 5.2).'),
  unsupported_response_type: validation('The authority offers only the response type `code` (RFC 6749 4.1.2.1).'),
  invalid_scope: validation('A requested scope is malformed, unknown or not the client’s (RFC 6749 5.2).'),
  invalid_target: validation(
    'A requested resource or audience is malformed, unknown or not the client’s (RFC 8707 2).',
  ),
  invalid_dpop_proof: validation(
    'The DPoP proof is malformed, stale, used before or made for another request or key (RFC 9449 5).',
  ),
  use_dpop_nonce: validation('The DPoP proof must carry the nonce of the DPoP-Nonce header (RFC 9449 8).'),
  authorization_pending: transient(
    validation('The person has not answered yet; poll again after the interval (RFC 8628 3.5).'),
  ),
  slow_down: transient(
    validation('The device polls too often; the interval is five seconds longer from now on (RFC 8628 3.5).'),
  ),
  expired_token: validation('The device code has expired; begin again (RFC 8628 3.5).'),
  access_denied: validation('The person refused the request (RFC 6749 4.1.2.1, RFC 8628 3.5).'),
  invalid_token: authentication(
    'The access token is absent, expired, revoked, not bound to its sender, or not proved (RFC 6750 3.1).',
  ),
  insufficient_scope: permission(
    'The token, the plan or the licence does not allow what was asked for (RFC 6750 3.1).',
  ),
  introspection_denied: {
    ...authentication('The client is known but has no permission to introspect (RFC 7662 2.1).'),
    wire: 'unauthorized_client',
  },

  // the price list's own
  cost_limit_exceeded: validation('The operation would cost more than one request may.'),
  cost_budget_exhausted: exhausted('The caller has used its query budget; Retry-After gives the seconds to wait.'),

  // search's own
  'advisoryai.validation.tenant_required': validation('The token names no tenant.'),
  'advisoryai.validation.query_required': validation('The query is absent or blank.'),
  'advisoryai.validation.query_too_long': validation('The query is longer than its limit.'),
  'advisoryai.validation.period_invalid': validation('The period is none of 24h, 7d and 30d.'),
  'advisoryai.validation.batch_too_large': validation('The batch holds more than 100 events.'),
  'advisoryai.validation.id_invalid': validation('An id is not a UUID.'),
  'advisoryai.not_found': missing('There is no such history entry or alert for this caller.'),
} satisfies Readonly<Record<string, Code>>;

export type FaultCode = keyof typeof codes;
