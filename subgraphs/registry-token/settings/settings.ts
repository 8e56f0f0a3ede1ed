import { defineSettings, type Settings } from '@landfall/kernel/system/settings';
import type { AccessRules } from '../access/plans.ts';
import { readSigningKey, type SigningKey } from '../signing/key-file.ts';
import { readPlans, refuseUncovered } from './plan-settings.ts';

const web = ['http', 'https'] as const;

/** Settings of the registry token service (spec 2.2), in file and environment. */
export const registryTokenSettings = defineSettings({
  registryTokenIssuer: {
    type: 'url',
    schemes: web,
    env: 'REGISTRY_TOKEN_AUTHORITY__ISSUER',
    name: 'RegistryToken:Authority:Issuer',
    description: 'Issuer of accepted access tokens; unset, this platform’s authority.',
  },
  registryTokenMetadataUrl: {
    type: 'url',
    schemes: web,
    env: 'REGISTRY_TOKEN_AUTHORITY__METADATAURL',
    name: 'RegistryToken:Authority:MetadataUrl',
    description: 'Address of that issuer’s metadata (RFC 8414); unset, derived from its name.',
  },
  registryTokenAudiences: {
    type: 'list',
    default: [],
    env: 'REGISTRY_TOKEN_AUTHORITY__AUDIENCES',
    name: 'RegistryToken:Authority:Audiences',
    description: 'Accepted audiences of access tokens, any of them; unset, `Tokens:Audience`.',
  },
  registryTokenScope: {
    type: 'string',
    default: 'registry.token.issue',
    env: 'REGISTRY_TOKEN_AUTHORITY__REQUIREDSCOPE',
    name: 'RegistryToken:Authority:RequiredScope',
    description: 'Scope that an access token must carry.',
  },
  registryTokenSigningIssuer: {
    type: 'string',
    env: 'REGISTRY_TOKEN_SIGNING__ISSUER',
    name: 'RegistryToken:Signing:Issuer',
    description:
      '`iss` of registry tokens, exactly as in the configuration of the registry; unset, the public address.',
  },
  registryTokenSigningKey: {
    type: 'string',
    env: 'REGISTRY_TOKEN_SIGNING__KEY',
    name: 'RegistryToken:Signing:Key',
    description:
      'File with the P-256 key that signs: PEM or PFX, with or without its certificates, mode 0600; unset, the platform creates one.',
  },
  registryTokenSigningPassword: {
    type: 'string',
    env: 'REGISTRY_TOKEN_SIGNING__PASSWORD',
    name: 'RegistryToken:Signing:Password',
    secret: true,
    description: 'Password of that file.',
  },
  registryTokenKeyId: {
    type: 'string',
    env: 'REGISTRY_TOKEN_SIGNING__KEYID',
    name: 'RegistryToken:Signing:KeyId',
    description: '`kid` of registry tokens; unset, the thumbprint of the key (RFC 7638).',
  },
  registryTokenLifetimeMs: {
    type: 'duration',
    default: '5m',
    env: 'REGISTRY_TOKEN_SIGNING__LIFETIME',
    name: 'RegistryToken:Signing:Lifetime',
    description:
      'Life of a registry token, 10s to 1h. Registries add a minute, in which a revoked licence still works.',
  },
  registryTokenRealm: {
    type: 'url',
    schemes: web,
    env: 'REGISTRY_TOKEN_REGISTRY__REALM',
    name: 'RegistryToken:Registry:Realm',
    description:
      'Realm in the configuration of registries, and the address that DPoP proofs must name; unset, `/token` at the public address.',
  },
  registryTokenServices: {
    type: 'list',
    default: [],
    env: 'REGISTRY_TOKEN_REGISTRY__SERVICES',
    name: 'RegistryToken:Registry:Services',
    description: 'Accepted values of `service`; unset, any.',
  },
  registryTokenPrivateNamespaces: {
    type: 'list',
    default: [],
    env: 'REGISTRY_TOKEN_REGISTRY__PRIVATENAMESPACES',
    name: 'RegistryToken:Registry:PrivateNamespaces',
    description: 'Namespaces that a plan must cover, otherwise the start fails: `acme, tools/internal`.',
  },
  registryTokenPlans: {
    type: 'map',
    default: {},
    env: 'REGISTRY_TOKEN_PLANS',
    name: 'RegistryToken:Plans',
    description:
      'Repositories and actions of each plan: `{"pro": {"repositories": [{"pattern": "acme/*", "actions": ["pull", "push"]}]}}`, or `REGISTRY_TOKEN_PLANS__pro=acme/*:pull,push tools/*`.',
  },
  registryTokenPartialGrants: {
    type: 'string',
    oneOf: ['refuse', 'intersect'],
    default: 'refuse',
    env: 'REGISTRY_TOKEN_PARTIALGRANTS',
    name: 'RegistryToken:PartialGrants',
    description:
      'Answer to a request that a plan covers in part: a refusal, or a token for that part, as of distribution’s own server.',
  },
  registryTokenDefaultPlan: {
    type: 'string',
    env: 'REGISTRY_TOKEN_DEFAULTPLAN',
    name: 'RegistryToken:DefaultPlan',
    description: 'Plan of tokens without `svc:plan`; unset, they are refused.',
  },
  registryTokenRevokedLicenses: {
    type: 'list',
    default: [],
    env: 'REGISTRY_TOKEN_REVOKEDLICENSES',
    name: 'RegistryToken:RevokedLicenses',
    description: 'Values of `svc:license` that are refused.',
  },
});

type RegistryTokenTable = Settings<typeof registryTokenSettings>;

/** Validated settings; durations in milliseconds. */
export interface RegistryTokenSettings {
  /** `iss` of the access tokens that are believed. */
  readonly authorityIssuer: string;
  readonly audiences: readonly string[];
  readonly requiredScope: string;
  /** `iss` of registry tokens. */
  readonly issuer: string;
  readonly realm: string;
  readonly lifetimeMs: number;
  readonly keyId: string | undefined;
  /** Operator's own key; undefined: one is created and stored sealed. */
  readonly key: SigningKey | undefined;
  readonly rules: AccessRules;
}

interface PlatformDefaults {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
}

const LIFE = { least: 10_000, most: 3_600_000 };

const refuse = (name: string, reason: string): Error => new Error(`RegistryToken:${name}: ${reason}.`);

const readLifetime = (ms: number): number => {
  if (ms >= LIFE.least && ms <= LIFE.most) return ms;
  throw refuse('Signing:Lifetime', 'must be from 10s to 1h');
};

/** Splits `partialGrants` from the plans: the specification's file form has both in one object. */
const splitPartial = ({ registryTokenPlans: plans, registryTokenPartialGrants: partial }: RegistryTokenTable) => {
  const { partialGrants, ...rest } = plans;
  if (partialGrants === undefined) return { plans, partial };
  if (partialGrants === 'refuse' || partialGrants === 'intersect') return { plans: rest, partial: partialGrants };
  throw refuse('Plans:partialGrants', 'must be refuse or intersect');
};

/** Validates the settings and their mutual constraints. Throws an Error that names the setting and its problem. */
export const registryTokenSettingsOf = (
  settings: RegistryTokenTable,
  surroundings: PlatformDefaults,
): RegistryTokenSettings => {
  const { baseUrl, authUrl, audience } = surroundings;
  const { plans: planSettings, partial } = splitPartial(settings);
  const plans = readPlans(planSettings);
  refuseUncovered(plans, settings.registryTokenPrivateNamespaces);
  const defaultPlan = settings.registryTokenDefaultPlan;
  if (defaultPlan !== undefined && !plans.has(defaultPlan))
    throw refuse('DefaultPlan', `there is no plan ${defaultPlan} in RegistryToken:Plans`);
  const { registryTokenSigningKey: file, registryTokenSigningPassword: password } = settings;
  return {
    authorityIssuer: (settings.registryTokenIssuer ?? authUrl).replace(/\/+$/, ''),
    audiences: settings.registryTokenAudiences.length > 0 ? settings.registryTokenAudiences : [audience],
    requiredScope: settings.registryTokenScope,
    issuer: settings.registryTokenSigningIssuer ?? baseUrl,
    realm: settings.registryTokenRealm ?? `${baseUrl}/token`,
    lifetimeMs: readLifetime(settings.registryTokenLifetimeMs),
    keyId: settings.registryTokenKeyId,
    key: file === undefined ? undefined : readSigningKey(file, password),
    rules: {
      plans,
      defaultPlan,
      revokedLicenses: new Set(settings.registryTokenRevokedLicenses),
      services: new Set(settings.registryTokenServices),
      partialGrants: partial === 'intersect' ? 'intersect' : 'refuse',
    },
  };
};
