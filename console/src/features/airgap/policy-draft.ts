import type { AirGapFactsFragment, EgressPolicyInput, EgressTransport } from '../../generated/operations.ts';

export const TRANSPORTS = ['ANY', 'TCP', 'UDP', 'HTTP', 'HTTPS'] as const satisfies EgressTransport[];

/** Rule that is being edited; `key` tells rows apart, `port` is as it was typed. */
export type RuleRow = {
  readonly key: number;
  readonly hostPattern: string;
  readonly port: string;
  readonly transport: EgressTransport;
};

/** Policy that is being edited. */
export type PolicyDraft = {
  readonly allowLoopback: boolean;
  readonly allowPrivateNetworks: boolean;
  readonly rules: readonly RuleRow[];
  readonly remediationDocumentationUrl: string;
  readonly supportContact: string;
};

/** Draft of the stored policy. One that was never set lets the machine reach itself. */
export function draftOf(policy: AirGapFactsFragment['policy']): PolicyDraft {
  return {
    allowLoopback: policy?.allowLoopback ?? true,
    allowPrivateNetworks: policy?.allowPrivateNetworks ?? false,
    rules: (policy?.allowRules ?? []).map(({ hostPattern, port, transport }, key) => ({
      key,
      hostPattern,
      port: port === null ? '' : String(port),
      transport: transport ?? 'ANY',
    })),
    remediationDocumentationUrl: policy?.remediationDocumentationUrl ?? '',
    supportContact: policy?.supportContact ?? '',
  };
}

export const emptyRule = (rules: readonly RuleRow[]): RuleRow => ({
  key: Math.max(-1, ...rules.map(({ key }) => key)) + 1,
  hostPattern: '',
  port: '',
  transport: 'ANY',
});

/** Index of each rule whose port is none. */
export const wrongPorts = ({ rules }: PolicyDraft): readonly number[] =>
  rules.flatMap(({ port }, index) => (port.trim() === '' || isPort(Number(port)) ? [] : [index]));

const isPort = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 65_535;

/** Input of a draft. */
export const policyInputOf = (draft: PolicyDraft): EgressPolicyInput => ({
  allowLoopback: draft.allowLoopback,
  allowPrivateNetworks: draft.allowPrivateNetworks,
  allowRules: draft.rules.map(({ hostPattern, port, transport }) => ({
    hostPattern: hostPattern.trim(),
    port: port.trim() === '' ? null : Number(port),
    transport: transport === 'ANY' ? null : transport,
  })),
  remediationDocumentationUrl: draft.remediationDocumentationUrl.trim() || null,
  supportContact: draft.supportContact.trim() || null,
});

/** Rows that were filled in, so that the fields of the form and of a refusal are the same. */
export const withoutEmptyRules = (draft: PolicyDraft): PolicyDraft => ({
  ...draft,
  rules: draft.rules.filter(({ hostPattern, port }) => hostPattern.trim() !== '' || port.trim() !== ''),
});
