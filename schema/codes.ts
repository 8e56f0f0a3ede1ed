/**
 * Every code a caller of Landfall can be answered with: the 98 of spec 7.2 and the modules' own.
 * REST dialects, GraphQL `extensions`, docs/errors.md and the console read this one table.
 */

/** The categories of spec 7.1; a category and its statuses belong together. */
type Kind =
  | { readonly status: 401; readonly category: 'authentication' }
  | { readonly status: 403; readonly category: 'permission' }
  | { readonly status: 400; readonly category: 'validation' }
  | { readonly status: 404 | 409; readonly category: 'resource' }
  | { readonly status: 422 | 429; readonly category: 'domain' }
  | { readonly status: 500; readonly category: 'system' };

export type Code = Kind & {
  /** True when the same request may succeed a little later without anybody acting on the cause. */
  readonly retryable: boolean;
  readonly meaning: string;
  /** The name the OAuth dialect writes where it is not the code itself. */
  readonly wire?: string;
};

const authentication = { status: 401, category: 'authentication', retryable: false } as const;
const permission = { status: 403, category: 'permission', retryable: false } as const;
const validation = { status: 400, category: 'validation', retryable: false } as const;
const missing = { status: 404, category: 'resource', retryable: false } as const;
const conflict = { status: 409, category: 'resource', retryable: false } as const;
const domain = { status: 422, category: 'domain', retryable: false } as const;
const exhausted = { status: 429, category: 'domain', retryable: true } as const;
const system = { status: 500, category: 'system', retryable: false } as const;

/** After a kind, for causes that pass by themselves. */
const transient = { retryable: true } as const;

export const codes = {
  // spec 7.2, authentication
  AUTH_TOKEN_MISSING: {
    ...authentication,
    meaning: 'The request carries neither a token nor a verified client certificate.',
  },
  AUTH_TOKEN_INVALID: {
    ...authentication,
    meaning: 'The token cannot be read, or its signature, issuer or audience is wrong.',
  },
  AUTH_TOKEN_EXPIRED: { ...authentication, meaning: 'The token is past its expiry.' },
  AUTH_TOKEN_REVOKED: { ...authentication, meaning: 'The token was revoked before it expired.' },
  AUTH_AGENT_CERT_INVALID: {
    ...authentication,
    meaning: 'The agent’s client certificate is absent, foreign, revoked or names another agent.',
  },
  AUTH_AGENT_CERT_EXPIRED: {
    ...authentication,
    meaning: 'The agent’s client certificate has run out; the agent must register again.',
  },
  AUTH_API_KEY_INVALID: {
    ...authentication,
    meaning: 'The API key is unknown or disabled.',
  },

  // spec 7.2, permission
  PERM_DENIED: {
    ...permission,
    meaning: 'The caller may not do this, and no narrower reason applies.',
  },
  PERM_RESOURCE_DENIED: {
    ...permission,
    meaning: 'The caller’s roles do not reach this environment, target or release.',
  },
  PERM_ACTION_DENIED: {
    ...permission,
    meaning: 'The caller may read this resource but not act on it in this way.',
  },
  PERM_SCOPE_DENIED: { ...permission, meaning: 'The token lacks a scope that the operation needs.' },
  PERM_SOD_VIOLATION: {
    ...permission,
    meaning: 'The environment separates duties, and the caller already had another part in this.',
  },
  PERM_SELF_APPROVAL: {
    ...permission,
    meaning: 'Nobody approves a promotion they requested.',
  },
  PERM_TENANT_MISMATCH: {
    ...permission,
    meaning: 'The request names a tenant that is not the caller’s.',
  },

  // spec 7.2, validation
  VAL_REQUIRED_FIELD: { ...validation, meaning: 'A required field is absent, null or blank.' },
  VAL_INVALID_FORMAT: {
    ...validation,
    meaning: 'A field does not have its format, such as a time zone, duration, URL or name.',
  },
  VAL_INVALID_VALUE: {
    ...validation,
    meaning: 'A field is well formed but outside the allowed values.',
  },
  VAL_TOO_LONG: { ...validation, meaning: 'A text or list is longer than its limit.' },
  VAL_TOO_SHORT: { ...validation, meaning: 'A text or list is shorter than its minimum.' },
  VAL_INVALID_UUID: { ...validation, meaning: 'An id is not a UUID.' },
  VAL_INVALID_DIGEST: {
    ...validation,
    meaning: 'A digest is not `sha256:` followed by 64 hexadecimal digits.',
  },
  VAL_INVALID_SEMVER: {
    ...validation,
    meaning: 'A version does not follow Semantic Versioning 2.0.',
  },
  VAL_INVALID_JSON: { ...validation, meaning: 'The body is not JSON.' },
  VAL_SCHEMA_MISMATCH: {
    ...validation,
    meaning: 'A structured value does not follow its schema, or carries a field that is not in it.',
  },

  // spec 7.2, resource
  RES_NOT_FOUND: { ...missing, meaning: 'There is no such resource for this tenant.' },
  RES_ENVIRONMENT_NOT_FOUND: {
    ...missing,
    meaning: 'There is no such environment for this tenant.',
  },
  RES_RELEASE_NOT_FOUND: {
    ...missing,
    meaning: 'There is no such release for this tenant.',
  },
  RES_PROMOTION_NOT_FOUND: {
    ...missing,
    meaning: 'There is no such promotion for this tenant.',
  },
  RES_TARGET_NOT_FOUND: {
    ...missing,
    meaning: 'There is no such target for this tenant.',
  },
  RES_AGENT_NOT_FOUND: {
    ...missing,
    meaning: 'There is no such agent for this tenant.',
  },
  RES_CONFLICT: {
    ...conflict,
    meaning: 'The resource is in a state, or in a use, that does not allow this.',
  },
  RES_ALREADY_EXISTS: {
    ...conflict,
    meaning: 'A resource with the same unique key is already there.',
  },
  RES_VERSION_CONFLICT: {
    ...conflict,
    meaning: 'Somebody changed the resource since the caller read it.',
  },

  // spec 7.2, environments
  ENV_FROZEN: {
    ...domain,
    meaning: 'A freeze window closes the environment to deployments.',
  },
  ENV_FREEZE_ACTIVE: {
    ...domain,
    meaning: 'The environment, its targets and the window itself cannot change while a freeze is active.',
  },
  ENV_INVALID_ORDER: {
    ...domain,
    meaning: 'The order index is taken, or promotion would lead to a lower environment.',
  },
  ENV_CIRCULAR_PROMOTION: {
    ...domain,
    meaning: 'Following automatic promotion from this environment leads back to it.',
  },
  ENV_QUOTA_EXCEEDED: {
    ...domain,
    meaning: 'The tenant has as many environments as its plan allows.',
  },

  // spec 7.2, releases
  REL_ALREADY_FINALIZED: {
    ...domain,
    meaning: 'The release is finalized; its components can no longer change.',
  },
  REL_NOT_READY: {
    ...domain,
    meaning: 'The release is not ready, is on hold, or lacks evidence that it needs.',
  },
  REL_DIGEST_MISMATCH: {
    ...domain,
    meaning: 'The tag resolves to a digest other than the declared or gated one.',
  },
  REL_TAG_NOT_FOUND: { ...domain, meaning: 'The registry does not know the tag.' },
  REL_COMPONENT_MISSING: {
    ...domain,
    meaning: 'The release has no component, or one depends on a component that is not in it.',
  },
  REL_INVALID_STATUS_TRANSITION: {
    ...domain,
    meaning: 'A release in this status cannot move to the requested one.',
  },
  REL_DEPRECATED: {
    ...domain,
    meaning: 'The release is deprecated and is promoted nowhere.',
  },

  // spec 7.2, promotions
  PROM_ALREADY_EXISTS: {
    ...domain,
    meaning: 'An open promotion of this release to this environment is already there.',
  },
  PROM_NOT_PENDING: {
    ...domain,
    meaning: 'The promotion is past the point where it is approved or rejected.',
  },
  PROM_ALREADY_APPROVED: {
    ...domain,
    meaning: 'The promotion already has the approvals it needs.',
  },
  PROM_ALREADY_REJECTED: {
    ...domain,
    meaning: 'The promotion was rejected.',
  },
  PROM_ALREADY_CANCELLED: {
    ...domain,
    meaning: 'The promotion was cancelled.',
  },
  PROM_DEPLOYING: {
    ...domain,
    meaning: 'The promotion is deploying; cancel its deployment instead.',
  },
  PROM_INVALID_STATE: {
    ...domain,
    meaning: 'The promotion’s state does not allow the action.',
  },
  PROM_APPROVER_REQUIRED: {
    ...domain,
    meaning: 'Approvals, or approvers of a required role, are still missing.',
  },
  PROM_SKIP_ENVIRONMENT: {
    ...domain,
    meaning: 'The release has no verified landing in an environment that comes before this one.',
  },

  // spec 7.2, deployments
  DEPLOY_IN_PROGRESS: {
    ...domain,
    ...transient,
    meaning: 'Another deployment to the environment is running.',
  },
  DEPLOY_NO_TARGETS: {
    ...domain,
    meaning: 'The environment has no enabled target.',
  },
  DEPLOY_TARGET_UNHEALTHY: {
    ...domain,
    meaning: 'A target failed its health check before its turn.',
  },
  DEPLOY_AGENT_UNAVAILABLE: {
    ...domain,
    ...transient,
    meaning: 'No agent that can deploy to a target is online.',
  },
  DEPLOY_ARTIFACT_MISSING: {
    ...domain,
    meaning: 'The registry no longer has a manifest or blob that the release is made of.',
  },
  DEPLOY_TIMEOUT: { ...domain, ...transient, meaning: 'The deployment passed its deadline.' },
  DEPLOY_PULL_FAILED: {
    ...domain,
    ...transient,
    meaning: 'The agent could not pull the image after its retries.',
  },
  DEPLOY_DIGEST_VERIFICATION_FAILED: {
    ...domain,
    meaning: 'What was fetched, or what is running, does not have the gated digest.',
  },
  DEPLOY_HEALTH_CHECK_FAILED: {
    ...domain,
    meaning: 'The new version did not become healthy in time.',
  },
  DEPLOY_ROLLBACK_IN_PROGRESS: {
    ...domain,
    ...transient,
    meaning: 'The environment is already rolling back.',
  },
  DEPLOY_NOTHING_TO_ROLLBACK: {
    ...domain,
    meaning: 'The environment has no earlier verified deployment to return to, or its images are gone.',
  },

  // spec 7.2, gates
  GATE_EVALUATION_FAILED: {
    ...domain,
    ...transient,
    meaning: 'A gate that must answer could not be evaluated.',
  },
  GATE_SECURITY_BLOCKED: {
    ...domain,
    meaning: 'Findings exceed what the security gate allows.',
  },
  GATE_POLICY_BLOCKED: {
    ...domain,
    meaning: 'A policy of the environment does not hold.',
  },
  GATE_APPROVAL_BLOCKED: {
    ...domain,
    meaning: 'The approval gate is still waiting for somebody.',
  },
  GATE_TIMEOUT: {
    ...domain,
    ...transient,
    meaning: 'A gate took longer than its timeout.',
  },

  // spec 7.2, agents
  AGT_REGISTRATION_FAILED: {
    ...domain,
    meaning: 'The token is good, but the agent’s name, version, clock or environment is refused.',
  },
  AGT_TOKEN_INVALID: {
    ...domain,
    meaning: 'The registration token is unknown or has expired.',
  },
  AGT_TOKEN_USED: { ...domain, meaning: 'The registration token was already used once.' },
  AGT_CERTIFICATE_FAILED: {
    ...domain,
    meaning: 'No certificate could be issued for the agent’s request; its token stays unused.',
  },
  AGT_OFFLINE: {
    ...domain,
    ...transient,
    meaning: 'The agent does not answer.',
  },
  AGT_CAPABILITY_MISSING: {
    ...domain,
    meaning: 'The agent lacks a driver or capability that the target needs.',
  },
  AGT_TASK_FAILED: {
    ...domain,
    meaning: 'The agent’s task failed for a cause that has no code of its own.',
  },
  AGT_HEARTBEAT_TIMEOUT: {
    ...domain,
    ...transient,
    meaning: 'The agent’s heartbeats stopped during a task.',
  },

  // spec 7.2, integrations
  INT_CONNECTION_FAILED: {
    ...domain,
    ...transient,
    meaning: 'The integration cannot be reached.',
  },
  INT_AUTH_FAILED: {
    ...domain,
    meaning: 'The integration refuses our credentials.',
  },
  INT_RATE_LIMITED: {
    ...domain,
    ...transient,
    meaning: 'The integration’s rate limit is used up for the moment.',
  },
  INT_TIMEOUT: {
    ...domain,
    ...transient,
    meaning: 'The integration did not answer in time.',
  },
  INT_INVALID_RESPONSE: {
    ...domain,
    meaning: 'The integration’s answer is not what its protocol promises.',
  },
  INT_RESOURCE_NOT_FOUND: {
    ...domain,
    meaning: 'The repository or commit is absent at the integration.',
  },

  // spec 7.2, workflows
  WF_TEMPLATE_NOT_FOUND: {
    ...domain,
    meaning: 'There is no workflow template of this name and version.',
  },
  WF_TEMPLATE_INVALID: {
    ...domain,
    meaning: 'The workflow template does not validate.',
  },
  WF_CYCLE_DETECTED: {
    ...domain,
    meaning: 'The workflow’s steps need each other in a circle.',
  },
  WF_STEP_FAILED: {
    ...domain,
    meaning: 'A workflow step failed and the run may not go on without it.',
  },
  WF_ALREADY_RUNNING: {
    ...domain,
    ...transient,
    meaning: 'A run of this workflow for this subject is still going.',
  },
  WF_INVALID_STATE: {
    ...domain,
    meaning: 'The run or step is in a state that does not allow the action.',
  },
  WF_EXPRESSION_ERROR: {
    ...domain,
    meaning: 'An expression of the workflow cannot be parsed or evaluated.',
  },

  // spec 7.2, system
  SYS_INTERNAL_ERROR: {
    ...system,
    meaning: 'Something failed that should not; the request id finds it in the log.',
  },
  SYS_DATABASE_ERROR: {
    ...system,
    ...transient,
    meaning: 'The database did not carry out the operation.',
  },
  SYS_STORAGE_ERROR: {
    ...system,
    ...transient,
    meaning: 'An object could not be stored or read back.',
  },
  SYS_VAULT_ERROR: {
    ...system,
    ...transient,
    meaning: 'The secret store failed, which is not the same as a secret it does not have.',
  },
  SYS_QUEUE_ERROR: {
    ...system,
    ...transient,
    meaning: 'Work was accepted but could not be queued.',
  },
  SYS_SERVICE_UNAVAILABLE: {
    ...system,
    ...transient,
    meaning: 'A service that the operation depends on is down.',
  },
  SYS_OVERLOADED: {
    ...system,
    ...transient,
    meaning: 'The service is at capacity; the answer says when to come back.',
  },

  // the orchestrator's and the notifier's own (spec 7.3)
  preflight_failed: {
    ...domain,
    meaning: 'A hard preflight check failed, so the deployment is not launched.',
  },
  delivery_already_completed: {
    ...conflict,
    meaning: 'The delivery already landed; there is nothing to retry.',
  },

  // the authority's own: OAuth error names, written by the oauth dialect as they are
  invalid_request: {
    ...validation,
    meaning: 'A parameter is absent, repeated or malformed (RFC 6749 5.2).',
  },
  invalid_client: {
    ...authentication,
    meaning: 'Client authentication is absent or failed (RFC 6749 5.2).',
  },
  invalid_grant: {
    ...validation,
    meaning: 'The code, refresh token or password is wrong, used up or another client’s (RFC 6749 5.2).',
  },
  unauthorized_client: {
    ...validation,
    meaning: 'The client is not registered for this grant (RFC 6749 5.2).',
  },
  unsupported_grant_type: {
    ...validation,
    meaning: 'The authority does not offer this grant (RFC 6749 5.2).',
  },
  unsupported_response_type: {
    ...validation,
    meaning: 'The authority offers only the response type `code` (RFC 6749 4.1.2.1).',
  },
  invalid_scope: {
    ...validation,
    meaning: 'A requested scope is malformed, unknown or not the client’s (RFC 6749 5.2).',
  },
  invalid_target: {
    ...validation,
    meaning: 'A requested resource or audience is malformed, unknown or not the client’s (RFC 8707 2).',
  },
  invalid_dpop_proof: {
    ...validation,
    meaning: 'The DPoP proof is malformed, stale, used before or made for another request or key (RFC 9449 5).',
  },
  use_dpop_nonce: {
    ...validation,
    meaning: 'The DPoP proof must carry the nonce of the DPoP-Nonce header (RFC 9449 8).',
  },
  authorization_pending: {
    ...validation,
    ...transient,
    meaning: 'The person has not answered yet; poll again after the interval (RFC 8628 3.5).',
  },
  slow_down: {
    ...validation,
    ...transient,
    meaning: 'The device polls too often; the interval is five seconds longer from now on (RFC 8628 3.5).',
  },
  expired_token: {
    ...validation,
    meaning: 'The device code has expired; begin again (RFC 8628 3.5).',
  },
  access_denied: {
    ...validation,
    meaning: 'The person refused the request (RFC 6749 4.1.2.1, RFC 8628 3.5).',
  },
  invalid_token: {
    ...authentication,
    meaning: 'The access token is absent, expired, revoked, not bound to its sender, or not proved (RFC 6750 3.1).',
  },
  insufficient_scope: {
    ...permission,
    meaning: 'The token, the plan or the licence does not allow what was asked for (RFC 6750 3.1).',
  },
  introspection_denied: {
    ...authentication,
    meaning: 'The client is known but has no permission to introspect (RFC 7662 2.1).',
    wire: 'unauthorized_client',
  },

  // the price list's own
  cost_limit_exceeded: {
    ...validation,
    meaning: 'The operation would cost more than one request may.',
  },
  cost_budget_exhausted: {
    ...exhausted,
    meaning: 'The caller has spent what it may for now; Retry-After says when to come again.',
  },

  // search's own
  'advisoryai.validation.tenant_required': {
    ...validation,
    meaning: 'The token names no tenant.',
  },
  'advisoryai.validation.query_required': {
    ...validation,
    meaning: 'The query is absent or blank.',
  },
  'advisoryai.validation.query_too_long': {
    ...validation,
    meaning: 'The query is longer than its limit.',
  },
  'advisoryai.validation.period_invalid': {
    ...validation,
    meaning: 'The period is none of 24h, 7d and 30d.',
  },
  'advisoryai.validation.batch_too_large': {
    ...validation,
    meaning: 'The batch holds more than 100 events.',
  },
  'advisoryai.validation.id_invalid': {
    ...validation,
    meaning: 'An id is not a UUID.',
  },
  'advisoryai.not_found': {
    ...missing,
    meaning: 'There is no such history entry or alert for this caller.',
  },
} as const satisfies Readonly<Record<string, Code>>;

export type FaultCode = keyof typeof codes;
export type FaultCategory = Code['category'];
